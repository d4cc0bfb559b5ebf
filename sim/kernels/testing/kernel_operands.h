// SPDX-License-Identifier: Apache-2.0
// Tensors in memory of their own and calls of kernels on them, for tests. Thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernels/kernel.h"
#include "sim/kernels/operands.h"

namespace svmsim {

class KernelOperands {
 public:
  // A tensor with these elements, rounded to `dtype`.
  KernelOperands& add(svmrt::TensorUse use, std::vector<std::uint32_t> shape, const std::vector<float>& values,
                      DataType dtype = DataType::FLOAT32) {
    auto& bytes = memory_.emplace_back(values.size() * get_element_size(dtype));
    tensors_.push_back(
        make_tensor_external(bytes.data(), shape.data(), static_cast<std::uint32_t>(shape.size()), dtype));
    operands_.push_back({&tensors_.back(), use, bytes.data()});
    store_values(operands_.back(), values);
    return *this;
  }
  KernelOperands& input(std::vector<std::uint32_t> shape, const std::vector<float>& values,
                        DataType dtype = DataType::FLOAT32) {
    return add(svmrt::TensorUse::kInput, std::move(shape), values, dtype);
  }
  KernelOperands& inout(std::vector<std::uint32_t> shape, const std::vector<float>& values) {
    return add(svmrt::TensorUse::kInout, std::move(shape), values);
  }
  // Filled with 77.
  KernelOperands& output(std::vector<std::uint32_t> shape, DataType dtype = DataType::FLOAT32) {
    std::size_t elements = 1;
    for (const std::uint32_t extent : shape) elements *= extent;
    return add(svmrt::TensorUse::kOutput, std::move(shape), std::vector<float>(elements, 77.0F), dtype);
  }
  KernelOperands& scalar(float value) {
    scalars_.push_back(to_u64(value));
    return *this;
  }
  KernelOperands& number(std::uint64_t value) {
    scalars_.push_back(value);
    return *this;
  }
  KernelOperands& flag(bool value) { return number(value ? 1 : 0); }
  KernelOperands& integers(std::vector<std::uint32_t> shape, const std::vector<std::int32_t>& values) {
    auto& bytes = memory_.emplace_back(values.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensors_.push_back(
        make_tensor_external(bytes.data(), shape.data(), static_cast<std::uint32_t>(shape.size()), DataType::INT32));
    operands_.push_back({&tensors_.back(), svmrt::TensorUse::kInput, bytes.data()});
    return *this;
  }
  // A tensor that is there already, seen another way.
  void look_at(std::size_t index, const ChipTensor& view, std::size_t first_element) {
    tensors_[index] = view;
    operands_[index].data += first_element * get_element_size(view.dtype);
  }
  [[nodiscard]] const ChipTensor& tensor(std::size_t index) const { return tensors_[index]; }

  // What the kernel has against them; empty when it ran.
  std::string run(std::string_view kernel, std::uint32_t block = 0, std::uint32_t block_num = 1) {
    const KernelFunction function = find_kernel(kernel);
    if (function == nullptr) return "no such kernel";
    const auto ran = function({operands_, scalars_, block, block_num});
    return ran ? "" : ran.error();
  }
  [[nodiscard]] std::vector<float> values(std::size_t index) const { return values_of(operands_[index]); }

 private:
  std::deque<std::vector<std::byte>> memory_;
  std::deque<ChipTensor> tensors_;
  std::vector<KernelTensor> operands_;
  std::vector<std::uint64_t> scalars_;
};

}  // namespace svmsim
