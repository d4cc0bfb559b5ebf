// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/orchestration/testing/orchestrator_test_base.h"

namespace svmrt {
namespace {

using testing::Edges;
using ::testing::HasSubstr;

class GraphSubmissionTest : public testing::OrchestratorTestBase {
 protected:
  [[nodiscard]] std::size_t tasks() const { return orchestrator->graph().tasks().size(); }
  void expect_fatal(const std::string& message) const {
    EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
    EXPECT_THAT(orchestrator->fatal_message(), HasSubstr(message));
  }

  ChipTensor tensor_ = floats(0x10000, {16});
  GraphTaskArgs args_;
};

TEST_F(GraphSubmissionTest, TasksOfAFunctionAreAUnitThatFollowsWhatCameBefore) {
  const PTO2TaskId before = submit_inout(tensor_);
  args_.add_inout(tensor_);
  const GraphSubmitResult result = rt_submit_graph(
      7,
      [](const GraphTaskArgs& args, int repeat) {
        for (int i = 0; i < repeat; ++i) submit_inout(args.tensor(0).ref());
      },
      args_, 3);
  EXPECT_FALSE(rt_is_fatal()) << orchestrator->fatal_message();
  EXPECT_EQ(result.size(), 3u);
  EXPECT_EQ(result.first_task_id().local(), 1u);
  EXPECT_EQ(result.task_id().local(), 3u);
  EXPECT_EQ(predecessors(result.first_task_id()), Edges{before.local()});
  EXPECT_EQ(predecessors(submit_inout(tensor_)), Edges{3});
}

TEST_F(GraphSubmissionTest, AnEmptyGraphHasNoTask) {
  submit_inout(tensor_);
  const GraphSubmitResult result = rt_submit_graph([](const GraphTaskArgs&) {}, args_);
  EXPECT_TRUE(result.empty());
  EXPECT_FALSE(result.task_id().is_valid());
  EXPECT_FALSE(result.first_task_id().is_valid());
  EXPECT_EQ(tasks(), 1u);
}

TEST_F(GraphSubmissionTest, AbortTakesBackTasksWritersHeapAndScopes) {
  const ChipTensor other = floats(0x20000, {16});
  const PTO2TaskId kept = submit_output(tensor_);
  const std::uint32_t shape[] = {1024};
  const TensorCreateInfo info(shape, 1, DataType::FLOAT32);
  const TaskOutputTensors first = alloc_tensors(info);
  const Bytes used = orchestrator->heap_used();

  ASSERT_TRUE(rt_graph_begin(1));
  submit_inout(tensor_);  // replaces the writer of before
  submit_output(other);
  (void)alloc_tensors(info);
  EXPECT_GT(orchestrator->heap_used(), used);
  rt_scope_begin(PTO2ScopeMode::MANUAL);
  rt_graph_abort();

  EXPECT_FALSE(rt_is_fatal()) << orchestrator->fatal_message();
  EXPECT_EQ(tasks(), 2u);
  EXPECT_EQ(orchestrator->heap_used(), used);
  const TaskOutputTensors again = alloc_tensors(info);
  EXPECT_EQ(again.get_ref(0).buffer.addr, first.get_ref(0).buffer.addr + 4096);
  EXPECT_EQ(predecessors(submit_input(tensor_)), Edges{kept.local()});  // in an AUTO scope again
  EXPECT_EQ(predecessors(submit_input(other)), Edges{});
}

TEST_F(GraphSubmissionTest, ATaskWithTheNumberOfOneTakenBackHasItsOwnPredecessors) {
  const PTO2TaskId writer = submit_output(tensor_);
  ASSERT_TRUE(rt_graph_begin());
  submit_input(tensor_);
  rt_graph_abort();
  EXPECT_EQ(predecessors(submit_input(tensor_)), Edges{writer.local()});
}

TEST_F(GraphSubmissionTest, BytesThatAnAbortedTaskWritesMayBeReadAgain) {
  const ChipTensor mine = floats(kDevice, {4});
  ASSERT_TRUE(access.claim_child_memory(DeviceAddr(kDevice), Bytes(4096)));
  const std::uint32_t first[] = {0};
  ASSERT_TRUE(rt_graph_begin());
  submit_output(mine);
  rt_graph_abort();
  (void)get_tensor_data<float>(mine, 1, first);
  EXPECT_FALSE(rt_is_fatal()) << orchestrator->fatal_message();
  ASSERT_TRUE(rt_graph_begin());
  submit_output(mine);
  ASSERT_TRUE(rt_graph_end());
  (void)rt_graph_commit();
  (void)get_tensor_data<float>(mine, 1, first);
  expect_fatal("get_tensor_data: the 4 bytes at 0x12d000000000 do not exist yet: task 0 writes them");
}

TEST_F(GraphSubmissionTest, AnExceptionTakesTheGraphBack) {
  EXPECT_THROW(rt_submit_graph(
                   [&](const GraphTaskArgs&) {
                     submit_inout(tensor_);
                     throw std::runtime_error("enough");
                   },
                   args_),
               std::runtime_error);
  EXPECT_EQ(tasks(), 0u);
  EXPECT_TRUE(rt_graph_begin());
}

TEST_F(GraphSubmissionTest, StepsOutOfOrderAreFatal5) {
  const auto after = [&](auto steps) {
    start(default_config());
    steps();
    return orchestrator->fatal_code() == PTO2_ERROR_INVALID_ARGS ? orchestrator->fatal_message() : std::string("fine");
  };
  EXPECT_EQ(after([&] { rt_graph_prepare(args_); }), "rt_graph_prepare: no graph is begun");
  EXPECT_EQ(after([] { rt_graph_abort(); }), "rt_graph_abort: no graph is begun");
  EXPECT_EQ(after([] { rt_graph_end(); }), "rt_graph_end: no graph is begun");
  EXPECT_EQ(after([] { (void)rt_graph_commit(); }), "rt_graph_commit: no graph has ended");
  EXPECT_EQ(after([] { rt_graph_begin() && (rt_graph_commit(), true); }), "rt_graph_commit: no graph has ended");
  EXPECT_EQ(after([] { rt_graph_begin() && rt_graph_end() && rt_graph_end(); }), "rt_graph_end: no graph is begun");
  EXPECT_EQ(after([&] { rt_graph_begin() && rt_graph_end() && rt_graph_prepare(args_); }),
            "rt_graph_prepare: no graph is begun");
  EXPECT_EQ(after([] { rt_graph_begin(3) && rt_graph_begin(4); }),
            "rt_graph_begin: graph 4 begins while graph 3 is not committed");
  EXPECT_EQ(after([] {
              rt_graph_begin(3);
              rt_scope_begin();
              rt_graph_end();
            }),
            "rt_graph_end: graph 3 has 1 open scopes at its end, and had 0 at its begin");
  EXPECT_EQ(after([] { rt_graph_begin() && rt_graph_end() && (rt_graph_commit(), rt_graph_begin()); }), "fine");
}

TEST_F(GraphSubmissionTest, ArgumentsWithAnErrorOrADefectAreFatal5BeforeTheFunctionRuns) {
  bool ran = false;
  const auto function = [&](const GraphTaskArgs&) { ran = true; };
  ChipTensor nothing = floats(0, {16});
  args_.add_input(nothing);
  EXPECT_TRUE(rt_submit_graph(5, function, args_).empty());
  expect_fatal("rt_graph_prepare: graph 5: tensor argument 0 (INPUT): ");
  start(default_config());
  GraphTaskArgs late;
  late.add_scalar(std::uint64_t{1});
  late.add_input(tensor_);
  EXPECT_TRUE(rt_submit_graph(6, function, late).empty());
  expect_fatal("rt_graph_prepare: graph 6: ");
  EXPECT_FALSE(ran);
}

TEST_F(GraphSubmissionTest, AFatalInTheFunctionMakesTheResultEmpty) {
  const GraphSubmitResult result = rt_submit_graph(
      [&](const GraphTaskArgs&) {
        submit_inout(tensor_);
        rt_report_fatal(PTO2_ERROR_EXPLICIT_ORCH_FATAL, "enough");
      },
      args_);
  EXPECT_TRUE(result.empty());
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_EXPLICIT_ORCH_FATAL);
}

}  // namespace
}  // namespace svmrt
