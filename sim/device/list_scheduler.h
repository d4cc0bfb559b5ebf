// SPDX-License-Identifier: Apache-2.0
// Dispatches a task graph onto cube and vector cores: a task is ready when its last predecessor ended; ready tasks
// go first come, first served (equal times: submission order), each to the core that is free earliest (equal:
// lowest number); a task of several kernels holds a core of its own for each, as far as there are that many, from when
// all are free until the slowest ends. The blocks of a task are instances that go one by one, or with
// require_sync_start all at once, when there is a core for each. A dummy or alloc task takes no core and no time, nor
// does one whose predicate does not hold. Thread-compatible.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/orchestration/task_graph.h"
#include "runtime/units.h"
#include "sim/device/kernel_table.h"

namespace svmsim {

enum class CoreKind : std::uint8_t { kCube, kVector };

// One kernel instance on its core. Times count from the launch.
struct CoreSpan {
  std::uint32_t task = 0;  // position in graph.tasks()
  std::int32_t function = 0;
  std::uint32_t block = 0;
  CoreKind kind = CoreKind::kCube;
  std::uint32_t core = 0;  // counted per kind
  svmrt::Picoseconds begin;
  svmrt::Picoseconds end;
};

// What dispatching makes happen.
class DispatchTarget {
 public:
  DispatchTarget() = default;
  DispatchTarget(const DispatchTarget&) = delete;
  DispatchTarget& operator=(const DispatchTarget&) = delete;
  virtual ~DispatchTarget() = default;

  // Whether the task's predicate holds. Asked once, when the task is ready, of tasks that have one; whatever began
  // until then has taken effect.
  [[nodiscard]] virtual bool predicate_holds(std::uint32_t task) = 0;
  // The task takes effect. Called by begin, then in dispatch order, so that tasks that race on memory without an edge
  // take effect in the order in which they begin, and every task behind all its predecessors.
  virtual void run(std::uint32_t task) = 0;
  virtual void occupied(const CoreSpan& span) = 0;
};

struct ScheduledTask {
  std::uint32_t task = 0;  // position in graph.tasks()
  bool ran = true;         // false: its predicate did not hold
  svmrt::Picoseconds begin;
  svmrt::Picoseconds end;
};

struct Schedule {
  std::vector<ScheduledTask> tasks;  // in the order of DispatchTarget::run
  svmrt::Picoseconds makespan;
};

// `cube_cores` and `vector_cores` are at least 1. Times count from the launch.
[[nodiscard]] Schedule schedule(const svmrt::TaskGraph& graph, const KernelTable& kernels, std::uint32_t cube_cores,
                                std::uint32_t vector_cores, DispatchTarget& target);

}  // namespace svmsim
