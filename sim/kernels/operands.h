// SPDX-License-Identifier: Apache-2.0
// What kernels have in common: checks of their operands, and their elements as floats. Pure functions, thread-safe.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sim/kernels/kernel.h"

namespace svmsim {

enum class OperandUse : std::uint8_t { kRead, kWritten };

enum class OperandType : std::uint8_t {
  kFloat,  // FLOAT32, FLOAT16, BFLOAT16
  kInt32,
};

struct Operand {
  std::string_view name;
  OperandUse use = OperandUse::kRead;
  OperandType type = OperandType::kFloat;
};

using KernelResult = tl::expected<void, std::string>;

// The call has exactly these tensors, each used and of the type as said, and so many scalars.
[[nodiscard]] KernelResult check_operands(const KernelCall& call, std::initializer_list<Operand> operands,
                                          std::size_t scalars);
// For kernels that do not divide their work.
[[nodiscard]] KernelResult check_one_block(const KernelCall& call);
// "tensor 1 (key) has shape [2, 3]; allowed: ALLOWED".
[[nodiscard]] std::string shape_error(const KernelCall& call, std::size_t index, std::string_view name,
                                      std::string_view allowed);

[[nodiscard]] inline std::span<const std::uint32_t> shape_of(const KernelTensor& tensor) {
  return {tensor.tensor->shapes, tensor.tensor->ndims};
}
// The last two dimensions, when every other one is 1; rows 0 otherwise.
struct MatrixShape {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};
[[nodiscard]] MatrixShape matrix_shape(const ChipTensor& tensor);

[[nodiscard]] inline float float_scalar(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

// The elements of a FLOAT32, FLOAT16 or BFLOAT16 tensor in row-major order, and back, rounded to the nearest.
[[nodiscard]] std::vector<float> values_of(const KernelTensor& tensor);
void store_values(const KernelTensor& tensor, std::span<const float> values);
// What storing in the tensor makes of `value`.
[[nodiscard]] float rounded_to(DataType dtype, float value);

}  // namespace svmsim
