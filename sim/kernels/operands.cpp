// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "runtime/orchestration/float_formats.h"
#include "sim/kernels/tensor_runs.h"

namespace svmsim {

using svmrt::bfloat16_from_float;
using svmrt::float16_from_float;
using svmrt::float_from_bfloat16;
using svmrt::float_from_float16;
using svmrt::TensorUse;

namespace {

bool fits(TensorUse use, OperandUse wanted) {
  if (wanted == OperandUse::kRead) return use != TensorUse::kOutput && use != TensorUse::kOutputExisting;
  return use != TensorUse::kInput && use != TensorUse::kNoDep;
}

bool is_of(DataType dtype, OperandType type) {
  if (type == OperandType::kInt32) return dtype == DataType::INT32;
  return dtype == DataType::FLOAT32 || dtype == DataType::FLOAT16 || dtype == DataType::BFLOAT16;
}

std::string names(std::initializer_list<Operand> operands) {
  std::string text;
  for (const Operand& operand : operands) text += fmt::format("{}{}", text.empty() ? "" : ", ", operand.name);
  return text;
}

template <typename Bits, typename Decode>
void decode(const std::byte* from, std::size_t count, std::vector<float>& to, Decode decoded) {
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits{};
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    to.push_back(decoded(bits));
  }
}

template <typename Bits, typename Encode>
void encode(std::byte* to, std::span<const float> from, Encode encoded) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Bits bits = encoded(from[i]);
    std::memcpy(to + i * sizeof bits, &bits, sizeof bits);
  }
}

}  // namespace

KernelResult check_operands(const KernelCall& call, std::initializer_list<Operand> operands, std::size_t scalars) {
  if (call.tensors.size() != operands.size()) {
    return tl::unexpected(
        fmt::format("{} tensors; allowed: {} ({})", call.tensors.size(), operands.size(), names(operands)));
  }
  if (call.scalars.size() != scalars) {
    return tl::unexpected(fmt::format("{} scalars; allowed: {}", call.scalars.size(), scalars));
  }
  std::size_t index = 0;
  for (const Operand& operand : operands) {
    const KernelTensor& tensor = call.tensors[index];
    if (!fits(tensor.use, operand.use)) {
      return tl::unexpected(fmt::format("tensor {} ({}) is {}; allowed: one that the task {}", index, operand.name,
                                        operand.use == OperandUse::kRead ? "an output" : "an input",
                                        operand.use == OperandUse::kRead ? "reads" : "writes"));
    }
    if (!is_of(tensor.tensor->dtype, operand.type)) {
      return tl::unexpected(fmt::format("tensor {} ({}) has dtype {}; allowed: {}", index, operand.name,
                                        get_dtype_name(tensor.tensor->dtype),
                                        operand.type == OperandType::kInt32 ? "INT32" : "FLOAT32, FLOAT16, BFLOAT16"));
    }
    ++index;
  }
  return {};
}

KernelResult check_one_block(const KernelCall& call) {
  if (call.block_num == 1) return {};
  return tl::unexpected(fmt::format("block_num {}; allowed: 1", call.block_num));
}

std::string shape_error(const KernelCall& call, std::size_t index, std::string_view name, std::string_view allowed) {
  return fmt::format("tensor {} ({}) has shape [{}]; allowed: {}", index, name,
                     fmt::join(shape_of(call.tensors[index]), ", "), allowed);
}

MatrixShape matrix_shape(const ChipTensor& tensor) {
  if (tensor.ndims < 2) return {};
  for (std::uint32_t d = 0; d + 2 < tensor.ndims; ++d) {
    if (tensor.shapes[d] != 1) return {};
  }
  return {tensor.shapes[tensor.ndims - 2], tensor.shapes[tensor.ndims - 1]};
}

std::vector<float> values_of(const KernelTensor& tensor) {
  std::vector<float> values;
  values.reserve(tensor.tensor->numel());
  const std::uint64_t element = get_element_size(tensor.tensor->dtype);
  for_each_run(*tensor.tensor, tensor.data, [&](const std::byte* from, std::size_t bytes) {
    switch (tensor.tensor->dtype) {
      case DataType::FLOAT32:
        return decode<float>(from, bytes / element, values, [](float value) { return value; });
      case DataType::FLOAT16:
        return decode<std::uint16_t>(from, bytes / element, values, float_from_float16);
      default:
        return decode<std::uint16_t>(from, bytes / element, values, float_from_bfloat16);
    }
  });
  return values;
}

void store_values(const KernelTensor& tensor, std::span<const float> values) {
  const std::uint64_t element = get_element_size(tensor.tensor->dtype);
  for_each_run(*tensor.tensor, tensor.data, [&](std::byte* to, std::size_t bytes) {
    const std::span<const float> run = values.first(bytes / element);
    values = values.subspan(run.size());
    switch (tensor.tensor->dtype) {
      case DataType::FLOAT32:
        return encode<float>(to, run, [](float value) { return value; });
      case DataType::FLOAT16:
        return encode<std::uint16_t>(to, run, float16_from_float);
      default:
        return encode<std::uint16_t>(to, run, bfloat16_from_float);
    }
  });
}

float rounded_to(DataType dtype, float value) {
  switch (dtype) {
    case DataType::FLOAT16:
      return float_from_float16(float16_from_float(value));
    case DataType::BFLOAT16:
      return float_from_bfloat16(bfloat16_from_float(value));
    default:
      return value;
  }
}

}  // namespace svmsim
