// SPDX-License-Identifier: Apache-2.0
// The second port: something that runs a finished task graph. In simulation, simulated cores; on a board, the
// device, or a host executor that copies tensors in and out. Thread-safe: implementations serialise launches.
#pragma once

#include <cstdint>

#include "runtime/hal.h"
#include "runtime/orchestration/task_graph.h"
#include "runtime/result.h"
#include "runtime/units.h"

namespace svmrt {

struct ExecutionReport {
  Picoseconds device_time;  // from launch to completion
  std::uint64_t tasks_run = 0;
};

class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  // Launches the graph at the timeline's present and waits: the timeline moves to the completion.
  [[nodiscard]] virtual Result<ExecutionReport> execute(TimelineId timeline, const TaskGraph& graph) = 0;
};

}  // namespace svmrt
