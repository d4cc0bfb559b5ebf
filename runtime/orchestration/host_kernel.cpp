// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/host_kernel.h"

#include <fmt/format.h>

namespace svmrt {

tl::expected<void, std::string> run_task_kernels(const TaskRecord& task, std::span<const KernelTensor> tensors,
                                                 std::span<const std::uint64_t> scalars, const KernelOf& kernel_of) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].data == nullptr) return tl::unexpected(fmt::format("tensor {} has no data for a kernel", i));
  }
  KernelCall call{tensors, scalars, 0, static_cast<std::uint32_t>(task.block_num)};
  for (call.block = 0; call.block < call.block_num; ++call.block) {
    for (const std::int32_t function :
         {task.kernels.aic_kernel_id, task.kernels.aiv0_kernel_id, task.kernels.aiv1_kernel_id}) {
      if (function < 0) continue;
      const KernelFunction compute = kernel_of(function);
      if (compute == nullptr) return tl::unexpected(fmt::format("function {} has no kernel to compute with", function));
      if (auto ran = compute(call); !ran) return tl::unexpected(fmt::format("function {}: {}", function, ran.error()));
    }
  }
  return {};
}

}  // namespace svmrt
