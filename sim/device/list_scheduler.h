// SPDX-License-Identifier: Apache-2.0
// Dispatches a task graph onto cube and vector cores: a task is ready when its last predecessor ended; ready tasks
// go first come, first served (equal times: submission order), each to the core that is free earliest (equal:
// lowest number); a task of several kernels holds a core of its own for each, as far as there are that many, from when
// all are free until the slowest ends. A dummy or alloc task takes no core and no time. Thread-compatible.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/orchestration/task_graph.h"
#include "runtime/units.h"
#include "sim/device/kernel_table.h"

namespace svmsim {

struct ScheduledTask {
  std::uint32_t task = 0;  // position in graph.tasks()
  svmrt::Picoseconds begin;
  svmrt::Picoseconds end;
};

struct Schedule {
  std::vector<ScheduledTask> tasks;  // by begin, then dispatch order: every task behind all its predecessors
  svmrt::Picoseconds makespan;
};

// `cube_cores` and `vector_cores` are at least 1. Times count from the launch.
[[nodiscard]] Schedule schedule(const svmrt::TaskGraph& graph, const KernelTable& kernels, std::uint32_t cube_cores,
                                std::uint32_t vector_cores);

}  // namespace svmsim
