// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/elementwise_kernels.h"

#include <fmt/format.h>

namespace svmsim {

namespace {

// Puts element(i) in place of the elements that fall to this block.
template <typename Element>
void replace_block(const KernelCall& call, const KernelTensor& result, std::vector<float> values, Element element) {
  const std::uint64_t count = values.size();
  const std::uint64_t begin = count * call.block / call.block_num;
  const std::uint64_t end = count * (call.block + 1) / call.block_num;
  for (std::uint64_t i = begin; i < end; ++i) values[i] = element(i);
  store_values(result, values);
}

KernelResult check_as_many(const KernelCall& call, std::size_t index, std::string_view name) {
  const std::uint64_t elements = call.tensors[0].tensor->numel();
  if (call.tensors[index].tensor->numel() == elements) return {};
  return tl::unexpected(shape_error(call, index, name, fmt::format("as many elements as tensor 0 has, {}", elements)));
}

// c[i] = combine(a[i], b[i])
template <typename Combine>
KernelResult binary(const KernelCall& call, Combine combine) {
  if (auto fit = check_operands(call, {{"a"}, {"b"}, {"c", OperandUse::kWritten}}, 0); !fit) return fit;
  if (auto fit = check_as_many(call, 1, "b"); !fit) return fit;
  if (auto fit = check_as_many(call, 2, "c"); !fit) return fit;
  const std::vector<float> a = values_of(call.tensors[0]);
  const std::vector<float> b = values_of(call.tensors[1]);
  replace_block(call, call.tensors[2], values_of(call.tensors[2]),
                [&](std::uint64_t i) { return combine(a[i], b[i]); });
  return {};
}

// b[i] = change(a[i]), or a[i] in place when there is one tensor.
template <typename Change>
KernelResult unary(const KernelCall& call, std::size_t scalars, Change change) {
  const bool in_place = call.tensors.size() == 1;
  if (in_place) {
    if (auto fit = check_operands(call, {{"a", OperandUse::kWritten}}, scalars); !fit) return fit;
  }
  if (auto fit = in_place ? check_operands(call, {{"a"}}, scalars)
                          : check_operands(call, {{"a"}, {"b", OperandUse::kWritten}}, scalars);
      !fit) {
    return fit;
  }
  const KernelTensor& result = call.tensors[in_place ? 0 : 1];
  if (auto fit = check_as_many(call, in_place ? 0 : 1, "b"); !fit) return fit;
  const std::vector<float> a = values_of(call.tensors[0]);
  replace_block(call, result, values_of(result), [&](std::uint64_t i) { return change(a[i]); });
  return {};
}

}  // namespace

KernelResult vector_add(const KernelCall& call) {
  return binary(call, [](float a, float b) { return a + b; });
}

KernelResult vector_mul(const KernelCall& call) {
  return binary(call, [](float a, float b) { return a * b; });
}

KernelResult vector_add_scalar(const KernelCall& call) {
  return unary(call, 1, [&](float a) { return a + float_scalar(call.scalars[0]); });
}

KernelResult vector_mul_scalar(const KernelCall& call) {
  return unary(call, 1, [&](float a) { return a * float_scalar(call.scalars[0]); });
}

KernelResult vector_relu(const KernelCall& call) {
  return unary(call, 0, [](float a) { return a > 0.0F ? a : 0.0F; });
}

KernelResult tile_add(const KernelCall& call) {
  if (auto fit = check_operands(call, {{"a"}, {"c", OperandUse::kWritten}}, 0); !fit) return fit;
  if (auto fit = check_operands(call, {{"a"}, {"c"}}, 0); !fit) return fit;
  if (auto fit = check_as_many(call, 1, "c"); !fit) return fit;
  const std::vector<float> a = values_of(call.tensors[0]);
  const std::vector<float> c = values_of(call.tensors[1]);
  replace_block(call, call.tensors[1], c, [&](std::uint64_t i) { return c[i] + a[i]; });
  return {};
}

}  // namespace svmsim
