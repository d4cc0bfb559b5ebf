// SPDX-License-Identifier: Apache-2.0
#include "sim/device/real_kernel.h"

#include <fmt/format.h>

#include <vector>

#include "sim/device/device_tensor.h"
#include "sim/kernels/kernel.h"

namespace svmsim {

namespace {

tl::expected<std::vector<KernelTensor>, std::string> kernel_tensors(Machine& machine, const svmrt::TaskGraph& graph,
                                                                    const svmrt::TaskRecord& task) {
  std::vector<KernelTensor> tensors;
  tensors.reserve(task.tensor_count);
  for (const svmrt::TaskTensor& argument : graph.tensors(task)) {
    const auto bytes = locate(machine, argument.tensor);
    if (!bytes) return tl::unexpected(fmt::format("tensor {}: {}", tensors.size(), bytes.error()));
    if (bytes->data == nullptr) {
      return tl::unexpected(fmt::format("tensor {}: {} bytes at {:#x} have no data for a real kernel", tensors.size(),
                                        bytes->extent.count(), bytes->base.value()));
    }
    tensors.push_back({&argument.tensor, argument.use, bytes->data});
  }
  return tensors;
}

}  // namespace

tl::expected<void, std::string> run_real_kernels(Machine& machine, const KernelTable& kernels,
                                                 const svmrt::TaskGraph& graph, const svmrt::TaskRecord& task) {
  const auto tensors = kernel_tensors(machine, graph, task);
  if (!tensors) return tl::unexpected(tensors.error());
  return svmrt::run_task_kernels(task, *tensors, graph.scalars(task),
                                 [&](std::int32_t function) { return kernels.compute_of(function); });
}

}  // namespace svmsim
