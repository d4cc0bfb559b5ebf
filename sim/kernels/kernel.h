// SPDX-License-Identifier: Apache-2.0
// A kernel of the device as a function on the CPU. The order of its operations is fixed and it calls no mathematical
// library, so every machine computes the same bits. Thread-safe as long as concurrent calls write disjoint memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/orchestration/task_graph.h"

namespace svmsim {

struct KernelTensor {
  const ChipTensor* tensor = nullptr;
  svmrt::TensorUse use = svmrt::TensorUse::kInput;
  std::byte* data = nullptr;  // the tensor's first element
};

// One instance of a task: `block` of `block_num`, tensors and scalars as the task has them.
struct KernelCall {
  std::span<const KernelTensor> tensors;
  std::span<const std::uint64_t> scalars;
  std::uint32_t block = 0;
  std::uint32_t block_num = 1;
};

// The error names the operand that does not fit and what is allowed; then nothing was written.
using KernelFunction = tl::expected<void, std::string> (*)(const KernelCall&);

// Null for an unknown name. README.md lists what each kernel takes.
[[nodiscard]] KernelFunction find_kernel(std::string_view name);
// Sorted.
[[nodiscard]] std::vector<std::string> kernel_names();

}  // namespace svmsim
