// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/task_graph.h"

#include <gtest/gtest.h>

#include <array>

namespace svmrt {
namespace {

TEST(TaskGraphTest, EachTaskSeesItsOwnRanges) {
  TaskGraph graph;
  std::array<TaskTensor, 2> tensors;
  tensors[0].tensor.buffer.addr = 0x1000;
  tensors[1].tensor.buffer.addr = 0x2000;
  tensors[1].use = TensorUse::kInout;
  const std::array<std::uint64_t, 3> scalars = {7, 8, 9};
  const std::array<std::uint32_t, 1> predecessors = {0};
  EXPECT_EQ(graph.add(TaskRecord(), std::span(tensors).first(1), scalars, {}), 0U);
  EXPECT_EQ(graph.add(TaskRecord(), tensors, std::span(scalars).last(1), predecessors), 1U);

  ASSERT_EQ(graph.tasks().size(), 2U);
  const TaskRecord& first = graph.tasks()[0];
  const TaskRecord& second = graph.tasks()[1];
  EXPECT_EQ(graph.tensors(first).size(), 1U);
  EXPECT_EQ(graph.scalars(first).size(), 3U);
  EXPECT_TRUE(graph.predecessors(first).empty());
  ASSERT_EQ(graph.tensors(second).size(), 2U);
  EXPECT_EQ(graph.tensors(second)[1].tensor.buffer.addr, 0x2000U);
  EXPECT_EQ(graph.tensors(second)[1].use, TensorUse::kInout);
  ASSERT_EQ(graph.scalars(second).size(), 1U);
  EXPECT_EQ(graph.scalars(second)[0], 9U);
  ASSERT_EQ(graph.predecessors(second).size(), 1U);
}

TEST(TaskGraphTest, PredicateBelongsToTheTaskThatNamesIt) {
  TaskGraph graph;
  TaskPredicate predicate;
  predicate.op = PredicateOp::LT;
  predicate.target = 12;
  TaskRecord with;
  with.predicate = graph.add_predicate(predicate);
  graph.add(TaskRecord(), {}, {}, {});
  graph.add(with, {}, {}, {});
  EXPECT_EQ(graph.predicate(graph.tasks()[0]), nullptr);
  ASSERT_NE(graph.predicate(graph.tasks()[1]), nullptr);
  EXPECT_EQ(graph.predicate(graph.tasks()[1])->target, 12);
}

TEST(TaskGraphTest, ClearedGraphStartsAtPositionZero) {
  TaskGraph graph;
  const std::array<std::uint64_t, 1> scalars = {7};
  graph.add(TaskRecord(), {}, scalars, {});
  graph.clear();
  EXPECT_TRUE(graph.tasks().empty());
  EXPECT_EQ(graph.add(TaskRecord(), {}, scalars, {}), 0U);
  EXPECT_EQ(graph.tasks()[0].first_scalar, 0U);
}

}  // namespace
}  // namespace svmrt
