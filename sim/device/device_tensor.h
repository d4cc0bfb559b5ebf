// SPDX-License-Identifier: Apache-2.0
// The tensors of a task in the memory of a machine, as kernels see them. Thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/orchestration/host_kernel.h"
#include "runtime/orchestration/task_graph.h"
#include "sim/machine/machine.h"

namespace svmsim {

// From a tensor's first to its last element; data is null when they must not be touched.
struct TensorBytes {
  std::byte* data = nullptr;
  svmrt::DeviceAddr base;
  svmrt::Bytes extent;
};

// The error names what does not lie in live device memory.
[[nodiscard]] tl::expected<TensorBytes, std::string> locate(Machine& machine, const ChipTensor& tensor);

// All tensors of a task. The error names the one that does not lie in live device memory. Borrows the graph.
[[nodiscard]] tl::expected<std::vector<svmrt::KernelTensor>, std::string> kernel_tensors(Machine& machine,
                                                                                         const svmrt::TaskGraph& graph,
                                                                                         const svmrt::TaskRecord& task);

}  // namespace svmsim
