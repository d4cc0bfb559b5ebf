// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/tensor_reader.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <optional>
#include <system_error>

#include "cli/scene/scene_name.h"
#include "cli/scene/tensor_dtype.h"
#include "sim/config/input_files.h"
#include "sim/config/printable.h"

namespace svmsim {
namespace {

constexpr double kLargestFloat32 = std::numeric_limits<float>::max();

constexpr Choice<Direction> kDirections[] = {
    {"in", Direction::kIn}, {"out", Direction::kOut}, {"inout", Direction::kInout}};
constexpr Choice<Residency> kResidencies[] = {{"staged", Residency::kStaged},
                                              {"child_memory", Residency::kChildMemory}};
constexpr Choice<TensorDataKind> kInputData[] = {
    {"zeros", TensorDataKind::kZeros},       {"seeded", TensorDataKind::kSeeded},
    {"sequence", TensorDataKind::kSequence}, {"fill", TensorDataKind::kFill},
    {"values", TensorDataKind::kValues},     {"block_table", TensorDataKind::kBlockTable},
    {"file", TensorDataKind::kFile},         {"none", TensorDataKind::kNone}};
constexpr Choice<TensorDataKind> kOutputData[] = {{"zeros", TensorDataKind::kZeros}, {"none", TensorDataKind::kNone}};

// Nothing when the product exceeds kMaxSceneTensorBytes.
std::optional<std::uint64_t> byte_count(const std::vector<std::uint32_t>& shape, std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const std::uint32_t extent : shape) {
    if (extent > kMaxSceneTensorBytes / bytes) return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

DataType read_dtype(ConfigTable& table) {
  const std::string name = table.text("dtype");
  std::string allowed;
  for (const ElementType& type : element_types()) {
    if (type.name == name) return type.dtype;
    allowed += fmt::format("{}\"{}\"", allowed.empty() ? "one of " : ", ", type.name);
  }
  table.reject("dtype", std::move(allowed));
  return DataType::FLOAT32;
}

std::uint64_t element_bits(const ElementType& type, std::int64_t value) {
  if (type.element_class == ElementClass::kFloat32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t bytes = get_element_size(type.dtype);
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

void read_fill(ConfigTable& table, const ElementType& type, TensorData& data) {
  if (type.element_class == ElementClass::kFloat32) {
    const double value = table.decimal("value", -kLargestFloat32, kLargestFloat32);
    data.values = {std::bit_cast<std::uint32_t>(static_cast<float>(value))};
  } else {
    data.values = {element_bits(type, table.integer<std::int64_t>("value", type.min, type.max))};
  }
}

void read_values(ConfigTable& table, const ElementType& type, std::uint64_t elements, TensorData& data) {
  for (const std::int64_t value : table.integers<std::int64_t>("values", type.min, type.max)) {
    data.values.push_back(element_bits(type, value));
  }
  if (data.values.size() != elements) {
    table.reject("values", fmt::format("as many values as the tensor has elements, {}", elements));
  }
}

void read_block_table(ConfigTable& table, const SceneTensor& tensor, TensorData& data) {
  if (tensor.dtype != DataType::INT32) table.reject("dtype", "\"int32\" with data = \"block_table\"");
  if (tensor.shape.size() != 2) {
    table.reject("shape", "two dimensions with data = \"block_table\"");
    return;
  }
  const std::uint64_t rows = tensor.shape[0];
  constexpr std::uint64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();
  data.blocks_per_row = table.integer<std::uint32_t>("blocks_per_row", 1, tensor.shape[1]);
  if (rows * data.blocks_per_row > kMaxBlocks) {
    table.reject("blocks_per_row", fmt::format("at most {} blocks over all rows", kMaxBlocks));
  }
}

void read_file(ConfigTable& table, std::uint64_t bytes, const std::filesystem::path& folder, TensorData& data) {
  data.file = (folder / table.text("file")).string();
  note_input_file(data.file);
  std::error_code error;
  const std::uintmax_t size =
      std::filesystem::is_regular_file(data.file, error) ? std::filesystem::file_size(data.file, error) : 0;
  if (error || size != bytes) {
    table.reject("file", fmt::format("a file of exactly the tensor's {} bytes; {} {}", bytes, printable(data.file, 200),
                                     error ? "cannot be read: " + error.message() : fmt::format("has {}", size)));
  }
}

// Needs everything else of `tensor`.
TensorData read_data(ConfigTable& table, const SceneTensor& tensor, std::uint64_t elements,
                     const std::filesystem::path& folder) {
  TensorData data;
  if (tensor.direction == Direction::kOut) {
    data.kind = table.choice_or("data", TensorDataKind::kZeros, kOutputData);
    return data;
  }
  data.kind = table.choice("data", kInputData);
  const ElementType& type = element_type(tensor.dtype);
  const bool writes_values = data.kind == TensorDataKind::kSequence || data.kind == TensorDataKind::kFill ||
                             data.kind == TensorDataKind::kValues;
  if (writes_values && type.element_class == ElementClass::kNarrowFloat) {
    table.reject("data", fmt::format("\"zeros\", \"seeded\", \"file\" or \"none\" for {}", type.name));
    return data;
  }
  if (data.kind == TensorDataKind::kFill) read_fill(table, type, data);
  if (data.kind == TensorDataKind::kValues) read_values(table, type, elements, data);
  if (data.kind == TensorDataKind::kBlockTable) read_block_table(table, tensor, data);
  if (data.kind == TensorDataKind::kFile) read_file(table, elements * get_element_size(tensor.dtype), folder, data);
  return data;
}

}  // namespace

SceneTensor read_tensor(ConfigTable& table, std::set<std::string>& names, const std::filesystem::path& folder) {
  SceneTensor tensor;
  tensor.name = read_unique_name(table, names);
  if (tensor.name == kEveryTensor) table.reject("name", "another name; \"all\" stands for every tensor");
  tensor.dtype = read_dtype(table);
  tensor.shape = table.integers<std::uint32_t>("shape", 1, std::numeric_limits<std::uint32_t>::max());
  if (tensor.shape.empty() || tensor.shape.size() > kMaxSceneDims) {
    table.reject("shape", fmt::format("1 to {} dimensions", kMaxSceneDims));
  }
  const std::uint64_t element_bytes = get_element_size(tensor.dtype);
  const std::optional<std::uint64_t> bytes = byte_count(tensor.shape, element_bytes);
  if (!bytes) table.reject("shape", fmt::format("at most {} bytes in all", kMaxSceneTensorBytes));
  tensor.direction = table.choice("direction", kDirections);
  tensor.residency = table.choice_or("residency", Residency::kStaged, kResidencies);
  tensor.data = read_data(table, tensor, bytes.value_or(0) / element_bytes, folder);
  return tensor;
}

}  // namespace svmsim
