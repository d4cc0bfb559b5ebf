// SPDX-License-Identifier: Apache-2.0
#include "sim/device/list_scheduler.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace svmsim {

using svmrt::Picoseconds;
using svmrt::TaskGraph;
using svmrt::TaskRecord;

namespace {

// Cores of one kind: those that nobody claims as a heap of (time at which it is free, number).
class CorePool {
 public:
  explicit CorePool(std::uint32_t count) {
    for (std::uint32_t core = 0; core < count; ++core) free_.push({Picoseconds(0), core});
  }
  // Claims the core that is free earliest and returns when that is. When all are claimed already, the caller shares
  // one of its own.
  Picoseconds claim_earliest() {
    if (free_.empty()) return Picoseconds(0);
    const auto [time, core] = free_.top();
    free_.pop();
    claimed_.push_back(core);
    return time;
  }
  // Ends every claim: those cores are free from `time` on.
  void release_claimed(Picoseconds time) {
    for (const std::uint32_t core : claimed_) free_.push({time, core});
    claimed_.clear();
  }

 private:
  using Entry = std::pair<Picoseconds, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> free_;
  std::vector<std::uint32_t> claimed_;
};

struct Cores {
  CorePool cube;
  CorePool vector;
};

// One block of a task starts when every core that it needs is free, and holds all of them until it ends.
Picoseconds run_block(const TaskRecord& task, const KernelTable& kernels, Picoseconds ready, Cores& cores,
                      Picoseconds& begin) {
  const auto& slots = task.kernels;
  Picoseconds start = ready;
  Picoseconds duration;
  const auto add_slot = [&](std::int32_t function, CorePool& pool) {
    if (function < 0) return;
    start = std::max(start, pool.claim_earliest());
    duration = std::max(duration, kernels.duration_of(function));
  };
  add_slot(slots.aic_kernel_id, cores.cube);
  add_slot(slots.aiv0_kernel_id, cores.vector);
  add_slot(slots.aiv1_kernel_id, cores.vector);
  const Picoseconds end = start + duration;
  cores.cube.release_claimed(end);
  cores.vector.release_claimed(end);
  begin = start;
  return end;
}

ScheduledTask run_task(const TaskGraph& graph, std::uint32_t index, const KernelTable& kernels, Picoseconds ready,
                       Cores& cores) {
  const TaskRecord& task = graph.tasks()[index];
  ScheduledTask scheduled{index, ready, ready};
  if (task.kind == svmrt::TaskKind::kAlloc || task.kind == svmrt::TaskKind::kDummy) return scheduled;
  for (std::int32_t block = 0; block < task.block_num; ++block) {
    Picoseconds begin;
    const Picoseconds end = run_block(task, kernels, ready, cores, begin);
    scheduled.begin = block == 0 ? begin : std::min(scheduled.begin, begin);
    scheduled.end = std::max(scheduled.end, end);
  }
  return scheduled;
}

// Successors of each task as one flat list: of task t, list[first[t]] up to list[first[t + 1]].
struct Successors {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> list;
};

Successors successors_of(const TaskGraph& graph) {
  const auto tasks = graph.tasks();
  Successors result;
  result.first.assign(tasks.size() + 1, 0);
  for (const TaskRecord& task : tasks) {
    for (const std::uint32_t predecessor : graph.predecessors(task)) ++result.first[predecessor + 1];
  }
  for (std::size_t t = 0; t < tasks.size(); ++t) result.first[t + 1] += result.first[t];
  result.list.resize(result.first.back());
  std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    for (const std::uint32_t predecessor : graph.predecessors(tasks[t])) result.list[next[predecessor]++] = t;
  }
  return result;
}

}  // namespace

Schedule schedule(const TaskGraph& graph, const KernelTable& kernels, std::uint32_t cube_cores,
                  std::uint32_t vector_cores) {
  const auto tasks = graph.tasks();
  const Successors successors = successors_of(graph);
  std::vector<std::uint32_t> waiting_for(tasks.size());
  std::vector<Picoseconds> ready_at(tasks.size());
  // A popped task releases only tasks that become ready at or after its own ready time, so pops come in order.
  using Ready = std::pair<Picoseconds, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    waiting_for[t] = tasks[t].predecessor_count;
    if (waiting_for[t] == 0) ready.push({Picoseconds(0), t});
  }
  Cores cores{CorePool(cube_cores), CorePool(vector_cores)};
  Schedule result;
  result.tasks.reserve(tasks.size());
  while (!ready.empty()) {
    const auto [time, t] = ready.top();
    ready.pop();
    const ScheduledTask scheduled = run_task(graph, t, kernels, time, cores);
    result.tasks.push_back(scheduled);
    result.makespan = std::max(result.makespan, scheduled.end);
    for (std::uint32_t s = successors.first[t]; s < successors.first[t + 1]; ++s) {
      const std::uint32_t successor = successors.list[s];
      ready_at[successor] = std::max(ready_at[successor], scheduled.end);
      if (--waiting_for[successor] == 0) ready.push({ready_at[successor], successor});
    }
  }
  // Tasks that race on memory without an edge take effect in the order in which they begin.
  std::stable_sort(result.tasks.begin(), result.tasks.end(),
                   [](const ScheduledTask& a, const ScheduledTask& b) { return a.begin < b.begin; });
  return result;
}

}  // namespace svmsim
