// SPDX-License-Identifier: Apache-2.0
#include "sim/device/list_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace svmsim {
namespace {

using svmrt::Picoseconds;
using svmrt::TaskGraph;
using svmrt::TaskKind;
using svmrt::TaskRecord;

constexpr std::int32_t kCubeKernel = 1;    // takes 10
constexpr std::int32_t kVectorKernel = 2;  // takes 3
constexpr std::int32_t kUnknown = 99;      // not in the table: takes 77

KernelTable kernels() {
  KernelTable table;
  table.by_function[kCubeKernel] = {"cube", Picoseconds(10)};
  table.by_function[kVectorKernel] = {"vector", Picoseconds(3)};
  table.default_duration = Picoseconds(77);
  return table;
}

TaskRecord cube_task() {
  TaskRecord task;
  task.kind = TaskKind::kCube;
  task.kernels.aic_kernel_id = kCubeKernel;
  return task;
}

TaskRecord vector_task(std::int32_t function = kVectorKernel) {
  TaskRecord task;
  task.kind = TaskKind::kVector;
  task.kernels.aiv0_kernel_id = function;
  return task;
}

TaskRecord two_vector_task(std::int32_t first, std::int32_t second) {
  TaskRecord task;
  task.kind = TaskKind::kMixed;
  task.kernels = {-1, first, second};
  return task;
}

std::uint32_t add(TaskGraph& graph, const TaskRecord& task, std::initializer_list<std::uint32_t> predecessors = {}) {
  const std::vector<std::uint32_t> list(predecessors);
  return graph.add(task, {}, {}, list);
}

// Notes what happens, in order; the predicates of these tasks do not hold.
class Recorder final : public DispatchTarget {
 public:
  explicit Recorder(std::set<std::uint32_t> retired = {}) : retired_(std::move(retired)) {}
  [[nodiscard]] bool predicate_holds(std::uint32_t task) override {
    log.push_back("ask " + std::to_string(task));
    return !retired_.contains(task);
  }
  void run(std::uint32_t task) override { log.push_back("run " + std::to_string(task)); }
  void occupied(const CoreSpan& span) override { spans.push_back(span); }

  std::vector<std::string> log;
  std::vector<CoreSpan> spans;

 private:
  std::set<std::uint32_t> retired_;
};

Schedule plan_of(const TaskGraph& graph, const KernelTable& table, std::uint32_t cube_cores,
                 std::uint32_t vector_cores) {
  Recorder recorder;
  return schedule(graph, table, cube_cores, vector_cores, recorder);
}

std::uint32_t add_guarded(TaskGraph& graph, TaskRecord task, std::initializer_list<std::uint32_t> predecessors = {}) {
  task.predicate = graph.add_predicate({});
  return add(graph, task, predecessors);
}

std::map<std::uint32_t, ScheduledTask> by_task(const Schedule& plan) {
  std::map<std::uint32_t, ScheduledTask> tasks;
  for (const ScheduledTask& task : plan.tasks) tasks[task.task] = task;
  return tasks;
}

TEST(ListScheduler, EmptyGraphTakesNoTime) {
  const Schedule plan = plan_of(TaskGraph(), kernels(), 1, 1);
  EXPECT_TRUE(plan.tasks.empty());
  EXPECT_EQ(plan.makespan, Picoseconds(0));
}

TEST(ListScheduler, ChainRunsOneAfterTheOther) {
  TaskGraph graph;
  const auto first = add(graph, cube_task());
  const auto second = add(graph, vector_task(), {first});
  const auto third = add(graph, cube_task(), {second});
  const Schedule plan = plan_of(graph, kernels(), 4, 4);
  auto tasks = by_task(plan);
  EXPECT_EQ(tasks[first].end, Picoseconds(10));
  EXPECT_EQ(tasks[second].begin, Picoseconds(10));
  EXPECT_EQ(tasks[third].begin, Picoseconds(13));
  EXPECT_EQ(plan.makespan, Picoseconds(23));
}

TEST(ListScheduler, IndependentTasksShareTheCoresOfTheirKind) {
  TaskGraph graph;
  for (int n = 0; n < 5; ++n) add(graph, cube_task());
  EXPECT_EQ(plan_of(graph, kernels(), 5, 1).makespan, Picoseconds(10));
  EXPECT_EQ(plan_of(graph, kernels(), 4, 1).makespan, Picoseconds(20));
  EXPECT_EQ(plan_of(graph, kernels(), 1, 1).makespan, Picoseconds(50));
}

TEST(ListScheduler, CubeAndVectorCoresWorkSideBySide) {
  TaskGraph graph;
  add(graph, cube_task());
  add(graph, vector_task());
  EXPECT_EQ(plan_of(graph, kernels(), 1, 1).makespan, Picoseconds(10));
}

TEST(ListScheduler, TaskWaitsForItsSlowestPredecessor) {
  TaskGraph graph;
  const auto slow = add(graph, cube_task());
  const auto fast = add(graph, vector_task());
  const auto join = add(graph, vector_task(), {slow, fast});
  EXPECT_EQ(by_task(plan_of(graph, kernels(), 1, 1))[join].begin, Picoseconds(10));
}

TEST(ListScheduler, TaskWaitsForItsSlowestPredecessorSubmittedLast) {
  TaskGraph graph;
  const auto fast = add(graph, vector_task());
  const auto slow = add(graph, cube_task());
  const auto join = add(graph, vector_task(), {fast, slow});
  EXPECT_EQ(by_task(plan_of(graph, kernels(), 1, 1))[join].begin, Picoseconds(10));
}

TEST(ListScheduler, TasksAreListedByBeginThenBySubmission) {
  TaskGraph graph;
  const auto at_once = add(graph, cube_task());
  const auto waits = add(graph, cube_task());
  const auto beside = add(graph, vector_task());
  std::vector<std::uint32_t> order;
  for (const ScheduledTask& task : plan_of(graph, kernels(), 1, 1).tasks) order.push_back(task.task);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{at_once, beside, waits}));
}

TEST(ListScheduler, EqualReadyTimesGoInSubmissionOrder) {
  TaskGraph graph;
  const auto first = add(graph, cube_task());
  const auto second = add(graph, cube_task());
  auto tasks = by_task(plan_of(graph, kernels(), 1, 1));
  EXPECT_EQ(tasks[first].begin, Picoseconds(0));
  EXPECT_EQ(tasks[second].begin, Picoseconds(10));
}

TEST(ListScheduler, AllocAndDummyTasksTakeNoTimeAndNoCore) {
  TaskGraph graph;
  TaskRecord alloc;
  alloc.kind = TaskKind::kAlloc;
  const auto hidden = add(graph, alloc);
  TaskRecord dummy;
  dummy.kind = TaskKind::kDummy;
  const auto order = add(graph, dummy, {hidden});
  add(graph, cube_task(), {order});
  add(graph, vector_task(), {order});
  EXPECT_EQ(plan_of(graph, kernels(), 1, 1).makespan, Picoseconds(10));
}

TEST(ListScheduler, BlocksOfATaskAreInstancesThatEachTakeACore) {
  TaskGraph graph;
  TaskRecord task = vector_task();
  task.block_num = 5;
  add(graph, task);
  EXPECT_EQ(plan_of(graph, kernels(), 1, 5).makespan, Picoseconds(3));
  EXPECT_EQ(plan_of(graph, kernels(), 1, 2).makespan, Picoseconds(9));
}

TEST(ListScheduler, TaskSpansItsFirstBlocksBeginAndItsLastBlocksEnd) {
  TaskGraph graph;
  add(graph, vector_task(kUnknown));  // until 77
  add(graph, vector_task());          // until 3
  TaskRecord task = vector_task(kUnknown);
  task.block_num = 2;  // from 3 to 80 and from 77 to 154
  const auto blocks = add(graph, task);
  add(graph, cube_task());  // dispatched last, ends before the others
  const Schedule plan = plan_of(graph, kernels(), 1, 2);
  auto tasks = by_task(plan);
  EXPECT_EQ(tasks[blocks].begin, Picoseconds(3));
  EXPECT_EQ(tasks[blocks].end, Picoseconds(154));
  EXPECT_EQ(plan.makespan, Picoseconds(154));
}

TEST(ListScheduler, TwoVectorSlotsWaitForTwoFreeCores) {
  TaskGraph graph;
  add(graph, vector_task(kUnknown));
  const auto both = add(graph, two_vector_task(kVectorKernel, kVectorKernel));
  EXPECT_EQ(by_task(plan_of(graph, kernels(), 1, 2))[both].begin, Picoseconds(77));
  EXPECT_EQ(by_task(plan_of(graph, kernels(), 1, 3))[both].begin, Picoseconds(0));
}

TEST(ListScheduler, TwoVectorSlotsShareTheOnlyVectorCore) {
  TaskGraph graph;
  add(graph, vector_task());
  const auto both = add(graph, two_vector_task(kVectorKernel, kVectorKernel));
  auto tasks = by_task(plan_of(graph, kernels(), 1, 1));
  EXPECT_EQ(tasks[both].begin, Picoseconds(3));
  EXPECT_EQ(tasks[both].end, Picoseconds(6));
}

TEST(ListScheduler, TwoVectorSlotsHoldBothCoresForTheSlowerOne) {
  for (const auto& [first, second] : {std::pair{kVectorKernel, kUnknown}, std::pair{kUnknown, kVectorKernel}}) {
    TaskGraph graph;
    const auto both = add(graph, two_vector_task(first, second));
    const auto behind = add(graph, vector_task());
    auto tasks = by_task(plan_of(graph, kernels(), 1, 2));
    EXPECT_EQ(tasks[both].end, Picoseconds(77));
    EXPECT_EQ(tasks[behind].begin, Picoseconds(77));
  }
}

TEST(ListScheduler, MixedTaskHoldsAllItsCoresForItsSlowestKernel) {
  TaskGraph graph;
  TaskRecord mixed;
  mixed.kind = TaskKind::kMixed;
  mixed.kernels = {kCubeKernel, kVectorKernel, kVectorKernel};
  add(graph, mixed);
  const auto behind = add(graph, vector_task());
  EXPECT_EQ(by_task(plan_of(graph, kernels(), 1, 2))[behind].begin, Picoseconds(10));
  EXPECT_EQ(by_task(plan_of(graph, kernels(), 1, 3))[behind].begin, Picoseconds(0));
}

TEST(ListScheduler, TaskWhosePredicateDoesNotHoldTakesNoTimeAndReleasesItsConsumers) {
  TaskGraph graph;
  const auto producer = add(graph, cube_task());  // 0 to 10
  const auto retired = add_guarded(graph, cube_task(), {producer});
  const auto kept = add_guarded(graph, cube_task(), {producer});  // 10 to 20
  const auto consumer = add(graph, vector_task(), {retired});     // 10 to 13
  Recorder recorder({retired});
  const Schedule plan = schedule(graph, kernels(), 1, 1, recorder);
  auto tasks = by_task(plan);
  EXPECT_FALSE(tasks[retired].ran);
  EXPECT_EQ(tasks[retired].begin, Picoseconds(10));
  EXPECT_EQ(tasks[retired].end, Picoseconds(10));
  EXPECT_TRUE(tasks[kept].ran);
  EXPECT_EQ(tasks[kept].end, Picoseconds(20));
  EXPECT_EQ(tasks[consumer].begin, Picoseconds(10));
  EXPECT_EQ(recorder.log, (std::vector<std::string>{"run 0", "ask 1", "ask 2", "run 2", "run 3"}));
}

TEST(ListScheduler, PredicateIsAskedAfterWhateverBeganUntilThenTookEffect) {
  TaskGraph graph;
  const auto quick = add(graph, vector_task());  // 0 to 3
  add(graph, vector_task(kUnknown));             // 3 to 80: no predecessor of the guarded task
  add_guarded(graph, cube_task(), {quick});      // ready at 3
  Recorder recorder;
  static_cast<void>(schedule(graph, kernels(), 1, 1, recorder));
  EXPECT_EQ(recorder.log, (std::vector<std::string>{"run 0", "run 1", "ask 2", "run 2"}));
}

TEST(ListScheduler, BlocksThatMustStartTogetherWaitForACoreEach) {
  TaskGraph graph;
  add(graph, vector_task(kUnknown));  // core 0 until 77
  TaskRecord task = vector_task();
  task.block_num = 3;
  const auto apart = add(graph, task);
  task.require_sync_start = true;
  const auto together = add(graph, task);
  Recorder recorder;
  const auto plan = schedule(graph, kernels(), 1, 3, recorder);
  auto tasks = by_task(plan);
  EXPECT_EQ(tasks[apart].begin, Picoseconds(0));
  EXPECT_EQ(tasks[together].begin, Picoseconds(77));
  EXPECT_EQ(tasks[together].end, Picoseconds(80));
  std::set<std::uint32_t> cores;
  for (const CoreSpan& span : recorder.spans) {
    if (span.task == together) cores.insert(span.core);
  }
  EXPECT_EQ(cores.size(), 3u);
}

TEST(ListScheduler, SpansNameCoreFunctionAndBlock) {
  TaskGraph graph;
  TaskRecord mixed;
  mixed.kind = TaskKind::kMixed;
  mixed.kernels = {kCubeKernel, kVectorKernel, kUnknown};
  mixed.block_num = 2;
  add(graph, mixed);
  Recorder recorder;
  static_cast<void>(schedule(graph, kernels(), 1, 2, recorder));
  ASSERT_EQ(recorder.spans.size(), 6u);
  const CoreSpan& cube = recorder.spans[3];
  EXPECT_EQ(cube.function, kCubeKernel);
  EXPECT_EQ(cube.kind, CoreKind::kCube);
  EXPECT_EQ(cube.core, 0u);
  EXPECT_EQ(cube.block, 1u);
  EXPECT_EQ(cube.begin, Picoseconds(77)) << "the first block holds the core for its slowest kernel";
  EXPECT_EQ(cube.end, Picoseconds(87)) << "its own kernel is done by then";
  EXPECT_EQ(recorder.spans[1].kind, CoreKind::kVector);
  EXPECT_EQ(recorder.spans[1].end, Picoseconds(3));
  EXPECT_EQ(recorder.spans[2].end, Picoseconds(77));
  EXPECT_NE(recorder.spans[1].core, recorder.spans[2].core);
}

TEST(ListScheduler, NoTwoSpansOfOneCoreOverlap) {
  TaskGraph graph;
  for (int n = 0; n < 30; ++n) {
    TaskRecord task = n % 3 == 0 ? cube_task() : vector_task(n % 2 == 0 ? kUnknown : kVectorKernel);
    task.block_num = static_cast<std::int16_t>(1 + n % 4);
    task.require_sync_start = n % 5 == 0;
    if (n < 7) {
      add(graph, task);
    } else {
      add(graph, task, {static_cast<std::uint32_t>(n - 7)});
    }
  }
  Recorder recorder;
  static_cast<void>(schedule(graph, kernels(), 4, 5, recorder));
  std::map<std::pair<CoreKind, std::uint32_t>, Picoseconds> busy_until;
  std::sort(recorder.spans.begin(), recorder.spans.end(),
            [](const CoreSpan& a, const CoreSpan& b) { return a.begin < b.begin; });
  for (const CoreSpan& span : recorder.spans) {
    Picoseconds& until = busy_until[{span.kind, span.core}];
    EXPECT_LE(until, span.begin) << "task " << span.task;
    until = span.end;
  }
  EXPECT_EQ(busy_until.size(), 9u) << "all cores were used";
}

TEST(ListScheduler, UnknownFunctionTakesTheDefaultDuration) {
  TaskGraph graph;
  TaskRecord task = cube_task();
  task.kernels.aic_kernel_id = kUnknown;
  add(graph, task);
  EXPECT_EQ(plan_of(graph, kernels(), 1, 1).makespan, Picoseconds(77));
}

}  // namespace
}  // namespace svmsim
