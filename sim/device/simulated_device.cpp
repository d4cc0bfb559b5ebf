// SPDX-License-Identifier: Apache-2.0
#include "sim/device/simulated_device.h"

#include <fmt/format.h>

#include "sim/device/digest_kernel.h"
#include "sim/device/list_scheduler.h"

namespace svmsim {

svmrt::Result<svmrt::ExecutionReport> SimulatedDevice::execute(TimelineId timeline, const svmrt::TaskGraph& graph) {
  const Platform& platform = machine_.platform();
  const Schedule plan = schedule(graph, kernels_, platform.cube_cores, platform.vector_cores);
  for (const ScheduledTask& scheduled : plan.tasks) {
    const svmrt::TaskRecord& task = graph.tasks()[scheduled.task];
    if (auto ran = run_digest_kernel(machine_, graph, task); !ran) {
      return svmrt::fail(svmrt::ErrorCode::kOutOfBounds, fmt::format("task {}: {}", scheduled.task, ran.error()));
    }
  }
  const Picoseconds duration = machine_.cost().launch_cost() + plan.makespan;
  machine_.launch(timeline, duration, plan.tasks.size());
  return svmrt::ExecutionReport{duration, plan.tasks.size()};
}

}  // namespace svmsim
