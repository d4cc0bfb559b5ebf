// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/scene/tensor_dtype.h"

namespace svmsim {
namespace {

constexpr std::uint32_t kMaxRounds = 100'000;
constexpr std::uint64_t kMinHeapBytes = 1024;  // one output
constexpr std::uint32_t kMaxTaskWindow = std::uint32_t{1} << 24;
constexpr std::int32_t kMaxFunctionId = 65535;
constexpr std::uint64_t kMaxKernelNs = 1'000'000'000'000;  // 1000 s
constexpr std::size_t kMaxNameLength = 64;
constexpr double kMaxFloat32 = std::numeric_limits<float>::max();
constexpr std::string_view kEveryTensor = "all";

constexpr std::string_view kNameAllowed = "1 to 64 letters, digits, '_' and '-'";

constexpr Choice<Direction> kDirections[] = {
    {"in", Direction::kIn}, {"out", Direction::kOut}, {"inout", Direction::kInout}};
constexpr Choice<Residency> kResidencies[] = {{"staged", Residency::kStaged},
                                              {"child_memory", Residency::kChildMemory}};
constexpr Choice<BackingKind> kBackings[] = {{backing_name(BackingKind::kPlain), BackingKind::kPlain},
                                             {backing_name(BackingKind::kMmu), BackingKind::kMmu}};
constexpr Choice<KernelCore> kCores[] = {{"cube", KernelCore::kCube}, {"vector", KernelCore::kVector}};
constexpr Choice<TensorDataKind> kInputData[] = {
    {"zeros", TensorDataKind::kZeros},       {"seeded", TensorDataKind::kSeeded},
    {"sequence", TensorDataKind::kSequence}, {"fill", TensorDataKind::kFill},
    {"values", TensorDataKind::kValues},     {"block_table", TensorDataKind::kBlockTable},
    {"none", TensorDataKind::kNone}};
constexpr Choice<TensorDataKind> kOutputData[] = {{"zeros", TensorDataKind::kZeros}, {"none", TensorDataKind::kNone}};

enum class ScalarType { kFloat32, kInt32, kInt64, kUint64 };
constexpr Choice<ScalarType> kScalarTypes[] = {{"float32", ScalarType::kFloat32},
                                               {"int32", ScalarType::kInt32},
                                               {"int64", ScalarType::kInt64},
                                               {"uint64", ScalarType::kUint64}};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string read_name(ConfigTable& table, std::string_view key) {
  std::string name = table.text(key);
  if (!is_name(name)) table.reject(key, std::string(kNameAllowed));
  return name;
}

// `seen` collects the names of the tables of one kind.
std::string read_unique_name(ConfigTable& table, std::set<std::string>& seen) {
  std::string name = read_name(table, "name");
  if (!seen.insert(name).second) table.reject("name", "a name that appears once");
  return name;
}

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
    const double value = table.decimal("value", -kMaxFloat32, kMaxFloat32);
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

// Needs everything else of `tensor`.
TensorData read_data(ConfigTable& table, const SceneTensor& tensor, std::uint64_t elements) {
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
    table.reject("data", fmt::format("\"zeros\", \"seeded\" or \"none\" for {}", type.name));
    return data;
  }
  if (data.kind == TensorDataKind::kFill) read_fill(table, type, data);
  if (data.kind == TensorDataKind::kValues) read_values(table, type, elements, data);
  if (data.kind == TensorDataKind::kBlockTable) read_block_table(table, tensor, data);
  return data;
}

SceneTensor read_tensor(ConfigTable& table, std::set<std::string>& names) {
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
  tensor.data = read_data(table, tensor, bytes.value_or(0) / element_bytes);
  return tensor;
}

SceneScalar read_scalar(ConfigTable& table, std::set<std::string>& names) {
  SceneScalar scalar;
  scalar.name = read_unique_name(table, names);
  switch (table.choice("type", kScalarTypes)) {
    case ScalarType::kFloat32:
      scalar.bits = std::bit_cast<std::uint32_t>(static_cast<float>(table.decimal("value", -kMaxFloat32, kMaxFloat32)));
      break;
    case ScalarType::kInt32:
      scalar.bits = static_cast<std::uint32_t>(table.integer<std::int32_t>("value", INT32_MIN, INT32_MAX));
      break;
    case ScalarType::kInt64:
      scalar.bits = static_cast<std::uint64_t>(table.integer<std::int64_t>("value", INT64_MIN, INT64_MAX));
      break;
    case ScalarType::kUint64:
      scalar.bits = table.integer<std::uint64_t>("value", 0, UINT64_MAX);
      break;
  }
  return scalar;
}

SceneKernel read_kernel(ConfigTable& table, std::set<std::int32_t>& ids) {
  SceneKernel kernel;
  kernel.func_id = table.integer<std::int32_t>("func_id", 0, kMaxFunctionId);
  if (!ids.insert(kernel.func_id).second) table.reject("func_id", "a number that appears once");
  kernel.name = read_name(table, "name");
  kernel.core = table.choice("core", kCores);
  kernel.duration = svmrt::Picoseconds(table.integer<std::uint64_t>("duration_ns", 0, kMaxKernelNs) * 1000);
  return kernel;
}

void read_whole_scene(ConfigTable& root, Scene& scene) {
  scene.orchestration = read_name(root, "orchestration");
  scene.rounds = root.integer_or<std::uint32_t>("rounds", scene.rounds, 1, kMaxRounds);
  scene.heap = svmrt::Bytes(root.integer_or("heap_bytes", scene.heap.count(), kMinHeapBytes, kMaxSceneTensorBytes));
  scene.task_window = root.integer_or<std::uint32_t>("task_window", scene.task_window, 1, kMaxTaskWindow);
  scene.backing = root.choice_or("backing", scene.backing, kBackings);

  std::vector<ConfigTable> tensors = root.tables("tensor");
  if (tensors.empty() || tensors.size() > kMaxSceneTensors) {
    root.reject("tensor", fmt::format("1 to {} tensors", kMaxSceneTensors));
    tensors.clear();
  }
  std::set<std::string> tensor_names;
  for (ConfigTable& table : tensors) scene.tensors.push_back(read_tensor(table, tensor_names));

  std::vector<ConfigTable> scalars = root.tables_or_empty("scalar");
  if (scalars.size() > kMaxSceneScalars) {
    root.reject("scalar", fmt::format("at most {} scalars", kMaxSceneScalars));
    scalars.clear();
  }
  std::set<std::string> scalar_names;
  for (ConfigTable& table : scalars) scene.scalars.push_back(read_scalar(table, scalar_names));

  std::set<std::int32_t> kernel_ids;
  for (ConfigTable& table : root.tables_or_empty("kernel")) scene.kernels.push_back(read_kernel(table, kernel_ids));
}

enum class Extending { kAllowed, kRefused };

ConfigResult<Scene> load(const std::string& path, Extending extending);

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

// Makes the named tensors resident. The error has no file.
std::optional<ConfigError> make_resident(Scene& scene, const std::vector<std::string>& names) {
  if (names.size() == 1 && names[0] == kEveryTensor) {
    for (SceneTensor& tensor : scene.tensors) tensor.residency = Residency::kChildMemory;
    return std::nullopt;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string key = fmt::format("child_memory[{}]", i);
    const auto tensor = std::find_if(scene.tensors.begin(), scene.tensors.end(),
                                     [&](const SceneTensor& candidate) { return candidate.name == names[i]; });
    if (tensor == scene.tensors.end()) {
      std::string allowed;
      for (const SceneTensor& candidate : scene.tensors) {
        allowed += (allowed.empty() ? "" : ", ") + in_quotes(candidate.name);
      }
      return ConfigError{"", 0, key, in_quotes(names[i]), allowed + "; or \"all\" alone"};
    }
    if (!seen.insert(names[i]).second) return ConfigError{"", 0, key, in_quotes(names[i]), "each name once"};
    tensor->residency = Residency::kChildMemory;
  }
  return std::nullopt;
}

ConfigResult<Scene> load_extending(const std::string& path, ConfigReader& reader, Scene scene) {
  ConfigTable root = reader.root();
  const std::string base_name = read_name(root, "extends");
  const std::vector<std::string> resident = root.texts("child_memory");
  if (resident.empty()) root.reject("child_memory", "names of tensors, at least one");
  ConfigResult<Scene> named = reader.finish(std::move(scene));
  if (!named) return named;

  const std::string base_path = (std::filesystem::path(path).parent_path() / (base_name + ".toml")).string();
  ConfigResult<Scene> result = load(base_path, Extending::kRefused);
  if (!result) return result;
  result->name = std::move(named->name);
  result->description = std::move(named->description);
  if (std::optional<ConfigError> error = make_resident(*result, resident)) {
    error->file = path;
    return tl::unexpected(*std::move(error));
  }
  return result;
}

ConfigResult<Scene> load(const std::string& path, Extending extending) {
  ConfigResult<ConfigReader> reader = ConfigReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  ConfigTable root = reader->root();
  Scene scene;
  scene.name = read_name(root, "name");
  scene.description = root.text("description");
  if (root.has("extends")) {
    if (extending == Extending::kAllowed) return load_extending(path, *reader, std::move(scene));
    root.reject("extends", "no such key in a scene that another one extends");
  }
  read_whole_scene(root, scene);
  return reader->finish(std::move(scene));
}

}  // namespace

std::uint64_t SceneTensor::elements() const {
  std::uint64_t count = 1;
  for (const std::uint32_t extent : shape) count *= extent;
  return count;
}

svmrt::Bytes SceneTensor::bytes() const { return svmrt::Bytes(elements() * get_element_size(dtype)); }

ConfigResult<Scene> load_scene(const std::string& path) { return load(path, Extending::kAllowed); }

}  // namespace svmsim
