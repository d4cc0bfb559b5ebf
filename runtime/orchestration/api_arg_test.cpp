// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "runtime/orchestration/api/pto_arg.h"
#include "runtime/orchestration/api/pto_arg_with_deps.h"

namespace {

constexpr std::uint32_t kShape[] = {4};

ChipTensor tensor_at(std::uintptr_t address) {
  return make_tensor_external(reinterpret_cast<void*>(address), kShape, 1);
}

TEST(ArgTest, TagsFollowTheCallAndTheKindOfOutput) {
  const ChipTensor a = tensor_at(0x1000);
  const ChipTensor b = tensor_at(0x2000);
  const TensorCreateInfo info(kShape, 1, DataType::INT8);
  CoreTaskArgs args;
  args.add_input(a, b);
  args.add_inout(a);
  args.add_no_dep(b);
  args.add_output(a);
  args.add_output(info);
  ASSERT_EQ(args.tensor_count(), 6);
  EXPECT_EQ(args.tag(0), TensorArgType::INPUT);
  EXPECT_EQ(args.tag(1), TensorArgType::INPUT);
  EXPECT_EQ(args.tag(2), TensorArgType::INOUT);
  EXPECT_EQ(args.tag(3), TensorArgType::NO_DEP);
  EXPECT_EQ(args.tag(4), TensorArgType::OUTPUT_EXISTING);
  EXPECT_EQ(args.tag(5), TensorArgType::OUTPUT);
  EXPECT_EQ(&args.tensor(1).ref(), &b);
  EXPECT_EQ(args.create_info(5).dtype(), DataType::INT8);
  EXPECT_FALSE(args.has_error);
}

TEST(ArgTest, ReadingOutOfRangeGivesNothing) {
  const TensorCreateInfo info(kShape, 1);
  CoreTaskArgs args;
  args.add_output(info);
  args.add_scalar(7);
  EXPECT_EQ(args.tensor(0).ref().buffer.addr, 0U);  // an output has no tensor yet
  EXPECT_EQ(args.tensor(1).ref().buffer.addr, 0U);
  EXPECT_EQ(args.tensor(-1).ref().buffer.addr, 0U);
  EXPECT_EQ(args.scalar(0), 7U);
  EXPECT_EQ(args.scalar(1), 0U);
  EXPECT_EQ(args.scalar(-1), 0U);
}

TEST(ArgTest, ScalarsKeepTheirBits) {
  const std::uint64_t wide[] = {1, 2};
  const std::int32_t narrow[] = {-1, 5};
  CoreTaskArgs args;
  args.add_scalar(std::int8_t{-1}, 1.0F);
  args.add_scalars(wide, 2);
  args.add_scalars_i32(narrow, 2);
  ASSERT_EQ(args.scalar_count(), 6);
  const std::vector<std::uint64_t> expected = {0xff, 0x3f800000, 1, 2, 0xffffffff, 5};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(args.scalar(i), expected[static_cast<std::size_t>(i)]) << i;
}

TEST(ArgTest, CopiesARangeOfAnotherListsScalars) {
  ChipTaskArgs source;
  source.add_scalar(10, 11, 12);
  CoreTaskArgs args;
  args.copy_scalars_from(source, 1, 2);
  ASSERT_EQ(args.scalar_count(), 2);
  EXPECT_EQ(args.scalar(0), 11U);
  EXPECT_EQ(args.scalar(1), 12U);
  EXPECT_FALSE(args.has_error);
  args.copy_scalars_from(source, 2, 2);
  EXPECT_TRUE(args.has_error);
  EXPECT_EQ(args.scalar_count(), 2);
}

TEST(ArgTest, TensorAfterScalarIsAnErrorAndChangesNothing) {
  const ChipTensor a = tensor_at(0x1000);
  CoreTaskArgs args;
  args.add_scalar(1);
  args.add_input(a);
  EXPECT_TRUE(args.has_error);
  EXPECT_STREQ(args.error_msg, "tensor added after a scalar");
  EXPECT_EQ(args.tensor_count(), 0);
}

TEST(ArgTest, CapacityIsWhatTheTypeSays) {
  const ChipTensor a = tensor_at(0x1000);
  Arg<2, 1> args;
  args.add_input(a, a);
  args.add_scalar(1);
  EXPECT_FALSE(args.has_error);
  args.add_scalar(2);
  EXPECT_TRUE(args.has_error);
  EXPECT_STREQ(args.error_msg, "too many scalars");

  Arg<2, 1> tensors;
  tensors.add_input(a, a, a);
  EXPECT_STREQ(tensors.error_msg, "too many tensors");
  EXPECT_EQ(tensors.tensor_count(), 2);
  tensors.add_scalar(1, 2);
  EXPECT_STREQ(tensors.error_msg, "too many tensors");  // the first error stays
}

TEST(ArgTest, TimingSlotsAre0To15) {
  CoreTaskArgs args;
  EXPECT_EQ(args.task_timing_slot(), -1);
  args.set_task_timing_slot(0);
  args.set_task_timing_slot(15);
  EXPECT_FALSE(args.has_error);
  EXPECT_EQ(args.task_timing_slot(), 15);
  args.set_task_timing_slot(16);
  EXPECT_TRUE(args.has_error);
  args.reset();
  args.set_task_timing_slot(-1);
  EXPECT_TRUE(args.has_error);
}

TEST(ArgTest, PredicateNeedsAnOperand) {
  const ChipTensor flag = tensor_at(0x1000);
  CoreTaskPredicate predicate;
  predicate.operand.tensor = &flag;
  predicate.operand.ndims = 1;
  predicate.operand.indices[0] = 3;
  predicate.op = PredicateOp::GE;
  predicate.target = -2;
  CoreTaskArgs args;
  args.set_predicate(predicate);
  EXPECT_FALSE(args.has_error);
  EXPECT_EQ(args.predicate().target, -2);

  predicate.operand.tensor = nullptr;
  args.set_predicate(predicate);
  EXPECT_TRUE(args.has_error);
}

TEST(ArgTest, ResetForgetsEverything) {
  const ChipTensor a = tensor_at(0x1000);
  const PTO2TaskId dependency = PTO2TaskId::make(0, 1);
  CoreTaskArgs args;
  args.add_input(a);
  args.add_scalar(1);
  args.add_input(a);
  args.set_dependencies(&dependency, 1);
  args.launch_spec.set_block_num(4);
  args.launch_spec.set_require_sync_start(true);
  args.set_allow_early_resolve();
  args.reset();
  EXPECT_FALSE(args.has_error);
  EXPECT_EQ(args.error_msg, nullptr);
  EXPECT_EQ(args.tensor_count(), 0);
  EXPECT_EQ(args.scalar_count(), 0);
  EXPECT_EQ(args.dependency_count(), 0U);
  EXPECT_EQ(args.launch_spec.block_num(), 1);
  EXPECT_FALSE(args.launch_spec.require_sync_start());
  EXPECT_FALSE(args.allow_early_resolve());
}

TEST(ArgTest, NullDependencyArrayIsAnErrorUnlessEmpty) {
  CoreTaskArgs args;
  args.set_dependencies(nullptr, 0);
  EXPECT_FALSE(args.has_error);
  args.set_dependencies(nullptr, 1);
  EXPECT_TRUE(args.has_error);
}

TEST(ArgTest, DumpListsTensorsAndScalars) {
  const ChipTensor a = tensor_at(0x1000);
  CoreTaskArgs args;
  args.add_inout(a);
  args.add_scalar(42);
  EXPECT_NE(args.dump().find("tensor 0: INOUT ChipTensor{addr=0x1000"), std::string::npos) << args.dump();
  EXPECT_NE(args.dump().find("scalar 0: 42"), std::string::npos) << args.dump();
}

TEST(ArgWithDepsTest, HoldsAsManyDependenciesAsTheTypeSays) {
  CoreTaskArgsWithDeps<2> args;
  args.add_dep(PTO2TaskId::make(0, 5), PTO2TaskId::make(0, 6));
  EXPECT_FALSE(args.has_error);
  ASSERT_EQ(args.dependency_count(), 2U);
  EXPECT_EQ(args.dependencies()[1].local(), 6U);
  args.add_dep(PTO2TaskId::make(0, 7));
  EXPECT_TRUE(args.has_error);
  args.reset();
  EXPECT_FALSE(args.has_error);
  EXPECT_EQ(args.dependency_count(), 0U);
  args.add_dep(PTO2TaskId::make(0, 8));
  EXPECT_EQ(args.dependencies()[0].local(), 8U);
}

TEST(TaskOutputTensorsTest, OutOfRangeIsUnallocated) {
  const ChipTensor tensors[] = {tensor_at(0x1000), tensor_at(0x2000)};
  const TaskOutputTensors outputs(PTO2TaskId::make(0, 3), tensors, 2);
  EXPECT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs.task_id().local(), 3U);
  EXPECT_EQ(&outputs.get_ref(1), &tensors[1]);
  EXPECT_EQ(outputs.get_ref(2).buffer.addr, 0U);
  const TaskOutputTensors nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.get_ref(0).buffer.addr, 0U);
  EXPECT_FALSE(nothing.task_id().is_valid());
}

}  // namespace
