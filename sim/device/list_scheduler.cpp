// SPDX-License-Identifier: Apache-2.0
#include "sim/device/list_scheduler.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "sim/device/core_pool.h"

namespace svmsim {

using svmrt::Picoseconds;
using svmrt::TaskGraph;
using svmrt::TaskRecord;

namespace {

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

class Dispatcher {
 public:
  Dispatcher(const TaskGraph& graph, const KernelTable& kernels, std::uint32_t cube_cores, std::uint32_t vector_cores,
             DispatchTarget& target)
      : graph_(graph),
        kernels_(kernels),
        cube_(cube_cores),
        vector_(vector_cores),
        target_(target),
        successors_(successors_of(graph)),
        waiting_for_(graph.tasks().size()),
        ready_at_(graph.tasks().size()) {}

  Schedule run() {
    const auto tasks = graph_.tasks();
    result_.tasks.reserve(tasks.size());
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      waiting_for_[t] = tasks[t].predecessor_count;
      if (waiting_for_[t] == 0) ready_.push({Picoseconds(0), t});
    }
    // A popped task releases only tasks that become ready at or after its own ready time, so pops come in order, and
    // whatever is dispatched from here on begins at or after this time.
    while (!ready_.empty()) {
      const auto [time, t] = ready_.top();
      ready_.pop();
      let_begun_take_effect(time);
      dispatch(t, time);
    }
    while (!begun_.empty()) take_effect();
    return std::move(result_);
  }

 private:
  void dispatch(std::uint32_t t, Picoseconds ready) {
    const TaskRecord& task = graph_.tasks()[t];
    ScheduledTask scheduled{t, true, ready, ready};
    if (graph_.predicate(task) != nullptr) scheduled.ran = target_.predicate_holds(t);
    const bool takes_cores = task.kind != svmrt::TaskKind::kAlloc && task.kind != svmrt::TaskKind::kDummy;
    if (scheduled.ran && takes_cores) run_blocks(task, scheduled);
    result_.makespan = std::max(result_.makespan, scheduled.end);
    begun_.push({scheduled.begin, dispatched_++, scheduled});
    for (std::uint32_t s = successors_.first[t]; s < successors_.first[t + 1]; ++s) {
      const std::uint32_t successor = successors_.list[s];
      ready_at_[successor] = std::max(ready_at_[successor], scheduled.end);
      if (--waiting_for_[successor] == 0) ready_.push({ready_at_[successor], successor});
    }
  }

  void run_blocks(const TaskRecord& task, ScheduledTask& scheduled) {
    const Picoseconds ready = scheduled.begin;
    const auto all = static_cast<std::uint32_t>(task.block_num);
    const std::uint32_t together = task.require_sync_start ? all : 1;
    for (std::uint32_t block = 0; block < all; block += together) {
      const auto [begin, end] = run_together(task, scheduled.task, block, together, ready);
      scheduled.begin = block == 0 ? begin : std::min(scheduled.begin, begin);
      scheduled.end = std::max(scheduled.end, end);
    }
  }

  // Blocks that start when every core that they need is free, and hold all of them until the slowest ends.
  std::pair<Picoseconds, Picoseconds> run_together(const TaskRecord& task, std::uint32_t position, std::uint32_t first,
                                                   std::uint32_t count, Picoseconds ready) {
    Picoseconds begin = ready;
    Picoseconds duration;
    spans_.clear();
    const auto add_slot = [&](std::int32_t function, CoreKind kind, std::uint32_t block) {
      if (function < 0) return;
      const CorePool::Claim claim = (kind == CoreKind::kCube ? cube_ : vector_).claim_earliest();
      begin = std::max(begin, claim.free_from);
      duration = std::max(duration, kernels_.duration_of(function));
      spans_.push_back({position, function, block, kind, claim.core, {}, {}});
    };
    for (std::uint32_t block = first; block < first + count; ++block) {
      add_slot(task.kernels.aic_kernel_id, CoreKind::kCube, block);
      add_slot(task.kernels.aiv0_kernel_id, CoreKind::kVector, block);
      add_slot(task.kernels.aiv1_kernel_id, CoreKind::kVector, block);
    }
    const Picoseconds end = begin + duration;
    cube_.release_claimed(end);
    vector_.release_claimed(end);
    for (CoreSpan& span : spans_) {
      span.begin = begin;
      span.end = begin + kernels_.duration_of(span.function);
      target_.occupied(span);
    }
    return {begin, end};
  }

  void let_begun_take_effect(Picoseconds until) {
    while (!begun_.empty() && std::get<0>(begun_.top()) <= until) take_effect();
  }
  void take_effect() {
    const ScheduledTask scheduled = std::get<2>(begun_.top());
    begun_.pop();
    if (scheduled.ran) target_.run(scheduled.task);
    result_.tasks.push_back(scheduled);
  }

  const TaskGraph& graph_;
  const KernelTable& kernels_;
  CorePool cube_;
  CorePool vector_;
  DispatchTarget& target_;
  Successors successors_;
  std::vector<std::uint32_t> waiting_for_;
  std::vector<Picoseconds> ready_at_;
  using Ready = std::pair<Picoseconds, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;

  // Dispatched and not in effect yet: begin, number of the dispatch.
  using Begun = std::tuple<Picoseconds, std::uint64_t, ScheduledTask>;
  struct Later {
    bool operator()(const Begun& a, const Begun& b) const {
      return std::pair(std::get<0>(a), std::get<1>(a)) > std::pair(std::get<0>(b), std::get<1>(b));
    }
  };
  std::priority_queue<Begun, std::vector<Begun>, Later> begun_;
  std::uint64_t dispatched_ = 0;
  std::vector<CoreSpan> spans_;  // of the blocks at hand; kept for its capacity
  Schedule result_;
};

}  // namespace

Schedule schedule(const TaskGraph& graph, const KernelTable& kernels, std::uint32_t cube_cores,
                  std::uint32_t vector_cores, DispatchTarget& target) {
  return Dispatcher(graph, kernels, cube_cores, vector_cores, target).run();
}

}  // namespace svmsim
