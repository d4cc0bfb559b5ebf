// SPDX-License-Identifier: Apache-2.0
// A kernel of the device as a function on the CPU, and a task as calls of such functions. What computes a graph on the
// host takes its kernels in this form, whoever wrote them. Thread-safe as long as concurrent calls write disjoint
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "runtime/orchestration/task_graph.h"

namespace svmrt {

struct KernelTensor {
  const ChipTensor* tensor = nullptr;
  TensorUse use = TensorUse::kInput;
  std::byte* data = nullptr;  // the tensor's first element; null: it has no bytes that matter
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

// The kernel of a function id; null when nobody said what it computes.
using KernelOf = std::function<KernelFunction(std::int32_t function)>;

// What a task does to its tensors, on the CPU. The error says what it has against them.
using TaskEffect = std::function<tl::expected<void, std::string>(
    const TaskRecord& task, std::span<const KernelTensor> tensors, std::span<const std::uint64_t> scalars)>;

// Each active slot's function, block after block, the slots of a block in the order cube, first vector, second vector.
// The error names a tensor without data, a function without a kernel, or the function and what its kernel has against
// its arguments; calls before it had their effect.
[[nodiscard]] tl::expected<void, std::string> run_task_kernels(const TaskRecord& task,
                                                               std::span<const KernelTensor> tensors,
                                                               std::span<const std::uint64_t> scalars,
                                                               const KernelOf& kernel_of);
// That as an effect.
[[nodiscard]] inline TaskEffect effect_of_kernels(KernelOf kernel_of) {
  return [kernel_of = std::move(kernel_of)](const TaskRecord& task, std::span<const KernelTensor> tensors,
                                            std::span<const std::uint64_t> scalars) {
    return run_task_kernels(task, tensors, scalars, kernel_of);
  };
}

}  // namespace svmrt
