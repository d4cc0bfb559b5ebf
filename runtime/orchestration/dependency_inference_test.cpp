// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/testing/orchestrator_test_base.h"

namespace svmrt {
namespace {

using testing::Edges;

class DependencyInferenceTest : public testing::OrchestratorTestBase {
 protected:
  ChipTensor matrix_ = floats(0x10000, {8, 8});

  ChipTensor box(std::vector<std::uint32_t> offsets, std::vector<std::uint32_t> shapes) const {
    return matrix_.view(shapes.data(), offsets.data());
  }
  static TaskOutputTensors create(std::uint32_t elements = 4) {
    const TensorCreateInfo info(&elements, 1);
    CoreTaskArgs args;
    args.add_output(info);
    return rt_submit_aic_task(1, args);
  }
};

TEST_F(DependencyInferenceTest, InputOfACreatedTensorFollowsItsCreator) {
  const TaskOutputTensors outputs = create();
  const PTO2TaskId reader = submit_input(outputs.get_ref(0));
  EXPECT_EQ(predecessors(reader), (Edges{0}));
}

TEST_F(DependencyInferenceTest, ViewKeepsItsCreator) {
  const TaskOutputTensors outputs = create();
  const std::uint32_t shape[] = {1};
  const std::uint32_t offset[] = {2};
  const ChipTensor view = outputs.get_ref(0).view(shape, offset);
  EXPECT_EQ(predecessors(submit_input(view)), (Edges{0}));
}

TEST_F(DependencyInferenceTest, AllocatedTensorHasAnEdgeToItsHiddenTask) {
  const std::uint32_t shape[] = {4};
  const TaskOutputTensors outputs = alloc_tensors(TensorCreateInfo(shape, 1), TensorCreateInfo(shape, 1));
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(task(outputs.task_id()).kind, TaskKind::kAlloc);
  const PTO2TaskId writer = submit_inout(outputs.get_ref(0));
  const PTO2TaskId other = submit_input(outputs.get_ref(1));
  const PTO2TaskId reader = submit_input(outputs.get_ref(0));
  EXPECT_EQ(predecessors(writer), (Edges{0}));
  EXPECT_EQ(predecessors(other), (Edges{0}));
  EXPECT_EQ(predecessors(reader), (Edges{0, 1}));
}

TEST_F(DependencyInferenceTest, OutputExistingOfACreatedTensorFollowsItsCreatorOnly) {
  const TaskOutputTensors outputs = create();
  submit_inout(outputs.get_ref(0));
  EXPECT_EQ(predecessors(submit_output(outputs.get_ref(0))), (Edges{0}));
}

TEST_F(DependencyInferenceTest, InputFollowsTheWriterOfAnExistingOutput) {
  const PTO2TaskId writer = submit_output(matrix_);
  const PTO2TaskId reader = submit_input(matrix_);
  EXPECT_EQ(predecessors(writer), Edges{});
  EXPECT_EQ(predecessors(reader), (Edges{0}));
}

TEST_F(DependencyInferenceTest, ReadersLeaveNoTrace) {
  submit_input(matrix_);
  EXPECT_EQ(predecessors(submit_inout(matrix_)), Edges{});
  submit_input(matrix_);
  EXPECT_EQ(predecessors(submit_output(matrix_)), Edges{});
}

TEST_F(DependencyInferenceTest, EveryReaderAfterAWriterFollowsIt) {
  submit_inout(matrix_);
  EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{0}));
  EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{0}));
}

TEST_F(DependencyInferenceTest, OutputExistingLooksUpNothingAndReplacesNothing) {
  submit_output(matrix_);
  EXPECT_EQ(predecessors(submit_output(matrix_)), Edges{});
  EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{0, 1}));
}

TEST_F(DependencyInferenceTest, InoutChainNeedsOnlyItsLastLink) {
  submit_inout(matrix_);
  EXPECT_EQ(predecessors(submit_inout(matrix_)), (Edges{0}));
  EXPECT_EQ(predecessors(submit_inout(matrix_)), (Edges{1}));
  EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{2}));
}

TEST_F(DependencyInferenceTest, InoutThatCoversPartsReplacesThem) {
  submit_inout(box({0, 0}, {4, 8}));
  submit_inout(box({4, 0}, {4, 8}));
  EXPECT_EQ(predecessors(submit_inout(matrix_)), (Edges{0, 1}));
  EXPECT_EQ(predecessors(submit_input(box({0, 0}, {1, 1}))), (Edges{2}));
}

TEST_F(DependencyInferenceTest, InoutThatCoversOnlyPartOfAnEntryKeepsIt) {
  submit_inout(matrix_);
  EXPECT_EQ(predecessors(submit_inout(box({0, 0}, {4, 8}))), (Edges{0}));
  EXPECT_EQ(predecessors(submit_input(box({4, 0}, {4, 8}))), (Edges{0}));
  EXPECT_EQ(predecessors(submit_input(box({0, 0}, {4, 8}))), (Edges{0, 1}));
}

TEST_F(DependencyInferenceTest, DisjointViewsHaveNoEdge) {
  submit_inout(box({0, 0}, {8, 4}));
  EXPECT_EQ(predecessors(submit_inout(box({0, 4}, {8, 4}))), Edges{});
  EXPECT_EQ(predecessors(submit_input(box({0, 3}, {8, 1}))), (Edges{0}));
  EXPECT_EQ(predecessors(submit_input(box({0, 4}, {8, 1}))), (Edges{1}));
  EXPECT_EQ(predecessors(submit_input(box({0, 3}, {8, 2}))), (Edges{0, 1}));
}

TEST_F(DependencyInferenceTest, DifferentStridesOverOneRangeAreTakenToOverlap) {
  submit_inout(box({0, 0}, {8, 4}));
  const ChipTensor flat = floats(0x10000, {64});
  const std::uint32_t one[] = {1};
  const std::uint32_t fifth[] = {4};
  EXPECT_EQ(predecessors(submit_input(flat.view(one, fifth))), (Edges{0}));
  const std::uint32_t beyond[] = {60};  // after the last element of the written columns, 7 * 8 + 3
  EXPECT_EQ(predecessors(submit_input(flat.view(one, beyond))), Edges{});
}

TEST_F(DependencyInferenceTest, AnotherBufferAddressIsAnotherBuffer) {
  submit_inout(matrix_);
  EXPECT_EQ(predecessors(submit_input(floats(0x20000, {8, 8}))), Edges{});
}

TEST_F(DependencyInferenceTest, NoDepSkipsCreatorAndWriters) {
  const TaskOutputTensors outputs = create();
  submit_inout(outputs.get_ref(0));
  submit_inout(matrix_);
  CoreTaskArgs args;
  args.add_no_dep(outputs.get_ref(0), matrix_);
  const PTO2TaskId reader = rt_submit_aiv_task(0, args).task_id();
  EXPECT_EQ(predecessors(reader), Edges{});
  EXPECT_EQ(orchestrator->graph().tensors(task(reader))[0].use, TensorUse::kNoDep);
}

TEST_F(DependencyInferenceTest, ManualDepTensorKeepsOnlyItsCreatorEdge) {
  const std::uint32_t shape[] = {4};
  const TaskOutputTensors outputs = alloc_tensors(TensorCreateInfo(shape, 1, DataType::FLOAT32, true));
  submit_inout(outputs.get_ref(0));
  EXPECT_EQ(predecessors(submit_input(outputs.get_ref(0))), (Edges{0}));
}

TEST_F(DependencyInferenceTest, ManualDepReaderDoesNotFollowAnOrderedWriter) {
  submit_inout(matrix_);
  ChipTensor unordered = matrix_;
  unordered.manual_dep = true;
  EXPECT_EQ(predecessors(submit_input(unordered)), Edges{});
  EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{0}));
}

TEST_F(DependencyInferenceTest, OrderedReaderDoesNotFollowAManualDepWriter) {
  ChipTensor unordered = matrix_;
  unordered.manual_dep = true;
  submit_inout(unordered);
  EXPECT_EQ(predecessors(submit_input(matrix_)), Edges{});
}

TEST_F(DependencyInferenceTest, OnePredecessorFoundTwiceIsOneEdge) {
  submit_inout(matrix_);
  CoreTaskArgs args;
  args.add_input(matrix_);
  args.add_inout(matrix_);
  EXPECT_EQ(predecessors(rt_submit_aiv_task(0, args).task_id()), (Edges{0}));
}

TEST_F(DependencyInferenceTest, TaskIsNeverItsOwnPredecessor) {
  CoreTaskArgs args;
  args.add_inout(matrix_);
  args.add_input(matrix_);
  EXPECT_EQ(predecessors(rt_submit_aiv_task(0, args).task_id()), Edges{});
}

TEST_F(DependencyInferenceTest, PredecessorsAreAscendingWhateverTheirArgumentsOrder) {
  const ChipTensor other = floats(0x20000, {4});
  submit_inout(matrix_);
  submit_inout(other);
  submit_inout(floats(0x30000, {4}));
  CoreTaskArgsWithDeps<> args;
  args.add_dep(PTO2TaskId::make(0, 2));
  args.add_input(other, matrix_);
  EXPECT_EQ(predecessors(rt_submit_dummy_task(args).task_id()), (Edges{0, 1, 2}));
}

TEST_F(DependencyInferenceTest, ExplicitDependencyAddsToInferredOnes) {
  submit_inout(matrix_);
  const PTO2TaskId unrelated = submit_inout(floats(0x20000, {4}));
  CoreTaskArgs args;
  args.add_input(matrix_);
  args.set_dependencies(&unrelated, 1);
  EXPECT_EQ(predecessors(rt_submit_aiv_task(0, args).task_id()), (Edges{0, 1}));
}

TEST_F(DependencyInferenceTest, ManualScopeTakesExplicitDependenciesOnly) {
  const TaskOutputTensors outputs = create();
  const PTO2TaskId writer = submit_inout(matrix_);
  PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
    CoreTaskArgs args;
    args.add_input(outputs.get_ref(0), matrix_);
    EXPECT_EQ(predecessors(rt_submit_aiv_task(0, args).task_id()), Edges{});
    args.set_dependencies(&writer, 1);
    EXPECT_EQ(predecessors(rt_submit_aiv_task(0, args).task_id()), (Edges{1}));
  }
  EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{1}));
}

TEST_F(DependencyInferenceTest, WritersInAManualScopeAreNoPredecessorsLater) {
  PTO2_SCOPE(PTO2ScopeMode::MANUAL) { submit_inout(matrix_); }
  EXPECT_EQ(predecessors(submit_input(matrix_)), Edges{});
}

TEST_F(DependencyInferenceTest, ManualInsideAutoEndsWithItsScope) {
  submit_inout(matrix_);
  PTO2_SCOPE() {
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) { EXPECT_EQ(predecessors(submit_input(matrix_)), Edges{}); }
    EXPECT_EQ(predecessors(submit_input(matrix_)), (Edges{0}));
  }
}

}  // namespace
}  // namespace svmrt
