// SPDX-License-Identifier: Apache-2.0
#include "sim/device/list_scheduler.h"

#include <gtest/gtest.h>

#include <map>

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

std::map<std::uint32_t, ScheduledTask> by_task(const Schedule& plan) {
  std::map<std::uint32_t, ScheduledTask> tasks;
  for (const ScheduledTask& task : plan.tasks) tasks[task.task] = task;
  return tasks;
}

TEST(ListScheduler, EmptyGraphTakesNoTime) {
  const Schedule plan = schedule(TaskGraph(), kernels(), 1, 1);
  EXPECT_TRUE(plan.tasks.empty());
  EXPECT_EQ(plan.makespan, Picoseconds(0));
}

TEST(ListScheduler, ChainRunsOneAfterTheOther) {
  TaskGraph graph;
  const auto first = add(graph, cube_task());
  const auto second = add(graph, vector_task(), {first});
  const auto third = add(graph, cube_task(), {second});
  const Schedule plan = schedule(graph, kernels(), 4, 4);
  auto tasks = by_task(plan);
  EXPECT_EQ(tasks[first].end, Picoseconds(10));
  EXPECT_EQ(tasks[second].begin, Picoseconds(10));
  EXPECT_EQ(tasks[third].begin, Picoseconds(13));
  EXPECT_EQ(plan.makespan, Picoseconds(23));
}

TEST(ListScheduler, IndependentTasksShareTheCoresOfTheirKind) {
  TaskGraph graph;
  for (int n = 0; n < 5; ++n) add(graph, cube_task());
  EXPECT_EQ(schedule(graph, kernels(), 5, 1).makespan, Picoseconds(10));
  EXPECT_EQ(schedule(graph, kernels(), 4, 1).makespan, Picoseconds(20));
  EXPECT_EQ(schedule(graph, kernels(), 1, 1).makespan, Picoseconds(50));
}

TEST(ListScheduler, CubeAndVectorCoresWorkSideBySide) {
  TaskGraph graph;
  add(graph, cube_task());
  add(graph, vector_task());
  EXPECT_EQ(schedule(graph, kernels(), 1, 1).makespan, Picoseconds(10));
}

TEST(ListScheduler, TaskWaitsForItsSlowestPredecessor) {
  TaskGraph graph;
  const auto slow = add(graph, cube_task());
  const auto fast = add(graph, vector_task());
  const auto join = add(graph, vector_task(), {slow, fast});
  EXPECT_EQ(by_task(schedule(graph, kernels(), 1, 1))[join].begin, Picoseconds(10));
}

TEST(ListScheduler, TaskWaitsForItsSlowestPredecessorSubmittedLast) {
  TaskGraph graph;
  const auto fast = add(graph, vector_task());
  const auto slow = add(graph, cube_task());
  const auto join = add(graph, vector_task(), {fast, slow});
  EXPECT_EQ(by_task(schedule(graph, kernels(), 1, 1))[join].begin, Picoseconds(10));
}

TEST(ListScheduler, TasksAreListedByBeginThenBySubmission) {
  TaskGraph graph;
  const auto at_once = add(graph, cube_task());
  const auto waits = add(graph, cube_task());
  const auto beside = add(graph, vector_task());
  std::vector<std::uint32_t> order;
  for (const ScheduledTask& task : schedule(graph, kernels(), 1, 1).tasks) order.push_back(task.task);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{at_once, beside, waits}));
}

TEST(ListScheduler, EqualReadyTimesGoInSubmissionOrder) {
  TaskGraph graph;
  const auto first = add(graph, cube_task());
  const auto second = add(graph, cube_task());
  auto tasks = by_task(schedule(graph, kernels(), 1, 1));
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
  EXPECT_EQ(schedule(graph, kernels(), 1, 1).makespan, Picoseconds(10));
}

TEST(ListScheduler, BlocksOfATaskAreInstancesThatEachTakeACore) {
  TaskGraph graph;
  TaskRecord task = vector_task();
  task.block_num = 5;
  add(graph, task);
  EXPECT_EQ(schedule(graph, kernels(), 1, 5).makespan, Picoseconds(3));
  EXPECT_EQ(schedule(graph, kernels(), 1, 2).makespan, Picoseconds(9));
}

TEST(ListScheduler, TaskSpansItsFirstBlocksBeginAndItsLastBlocksEnd) {
  TaskGraph graph;
  add(graph, vector_task(kUnknown));  // until 77
  add(graph, vector_task());          // until 3
  TaskRecord task = vector_task(kUnknown);
  task.block_num = 2;  // from 3 to 80 and from 77 to 154
  const auto blocks = add(graph, task);
  add(graph, cube_task());  // dispatched last, ends before the others
  const Schedule plan = schedule(graph, kernels(), 1, 2);
  auto tasks = by_task(plan);
  EXPECT_EQ(tasks[blocks].begin, Picoseconds(3));
  EXPECT_EQ(tasks[blocks].end, Picoseconds(154));
  EXPECT_EQ(plan.makespan, Picoseconds(154));
}

TEST(ListScheduler, TwoVectorSlotsWaitForTwoFreeCores) {
  TaskGraph graph;
  add(graph, vector_task(kUnknown));
  const auto both = add(graph, two_vector_task(kVectorKernel, kVectorKernel));
  EXPECT_EQ(by_task(schedule(graph, kernels(), 1, 2))[both].begin, Picoseconds(77));
  EXPECT_EQ(by_task(schedule(graph, kernels(), 1, 3))[both].begin, Picoseconds(0));
}

TEST(ListScheduler, TwoVectorSlotsShareTheOnlyVectorCore) {
  TaskGraph graph;
  add(graph, vector_task());
  const auto both = add(graph, two_vector_task(kVectorKernel, kVectorKernel));
  auto tasks = by_task(schedule(graph, kernels(), 1, 1));
  EXPECT_EQ(tasks[both].begin, Picoseconds(3));
  EXPECT_EQ(tasks[both].end, Picoseconds(6));
}

TEST(ListScheduler, TwoVectorSlotsHoldBothCoresForTheSlowerOne) {
  for (const auto& [first, second] : {std::pair{kVectorKernel, kUnknown}, std::pair{kUnknown, kVectorKernel}}) {
    TaskGraph graph;
    const auto both = add(graph, two_vector_task(first, second));
    const auto behind = add(graph, vector_task());
    auto tasks = by_task(schedule(graph, kernels(), 1, 2));
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
  EXPECT_EQ(by_task(schedule(graph, kernels(), 1, 2))[behind].begin, Picoseconds(10));
  EXPECT_EQ(by_task(schedule(graph, kernels(), 1, 3))[behind].begin, Picoseconds(0));
}

TEST(ListScheduler, UnknownFunctionTakesTheDefaultDuration) {
  TaskGraph graph;
  TaskRecord task = cube_task();
  task.kernels.aic_kernel_id = kUnknown;
  add(graph, task);
  EXPECT_EQ(schedule(graph, kernels(), 1, 1).makespan, Picoseconds(77));
}

}  // namespace
}  // namespace svmsim
