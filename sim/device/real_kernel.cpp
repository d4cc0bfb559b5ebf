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
  KernelCall call{*tensors, graph.scalars(task), 0, static_cast<std::uint32_t>(task.block_num)};
  for (call.block = 0; call.block < call.block_num; ++call.block) {
    for (const std::int32_t function :
         {task.kernels.aic_kernel_id, task.kernels.aiv0_kernel_id, task.kernels.aiv1_kernel_id}) {
      if (function < 0) continue;
      const KernelFunction compute = kernels.compute_of(function);
      if (compute == nullptr) return tl::unexpected(fmt::format("function {} has no kernel to compute with", function));
      if (auto ran = compute(call); !ran) return tl::unexpected(fmt::format("function {}: {}", function, ran.error()));
    }
  }
  return {};
}

}  // namespace svmsim
