// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/orchestrator.h"

#include "runtime/orchestration/testing/orchestrator_test_base.h"

namespace svmrt {
namespace {

using testing::Edges;

class OrchestratorTest : public testing::OrchestratorTestBase {
 protected:
  static TaskOutputTensors submit_create(std::vector<std::uint32_t> shapes, DataType dtype = DataType::FLOAT32) {
    const TensorCreateInfo info(shapes.data(), static_cast<std::uint32_t>(shapes.size()), dtype);
    CoreTaskArgs args;
    args.add_output(info);
    return rt_submit_aiv_task(0, args);
  }
  static TaskOutputTensors submit_blocks(const MixedKernels& kernels, std::int16_t block_num, bool sync_start = false) {
    CoreTaskArgs args;
    args.launch_spec.set_block_num(block_num);
    args.launch_spec.set_require_sync_start(sync_start);
    return rt_submit_task(kernels, args);
  }
};

TEST_F(OrchestratorTest, RecordCarriesWhatWasSubmitted) {
  const ChipTensor input = floats(0x10000, {4});
  const TensorCreateInfo info(input.shapes, 1, DataType::BFLOAT16);
  CoreTaskPredicate predicate;
  predicate.operand = {&input, 1, {3}};
  predicate.op = PredicateOp::LE;
  predicate.target = -4;
  CoreTaskArgs args;
  args.add_input(input);
  args.add_output(info);
  args.add_scalar(11, 12);
  args.launch_spec.set_block_num(6);
  args.launch_spec.set_require_sync_start(true);
  args.set_allow_early_resolve();
  args.set_task_timing_slot(2);
  args.set_predicate(predicate);
  const TaskOutputTensors outputs = rt_submit_task(MixedKernels{3, 4, 5}, args);

  ASSERT_EQ(orchestrator->graph().tasks().size(), 1U);
  const TaskRecord& record = orchestrator->graph().tasks()[0];
  EXPECT_EQ(record.id, outputs.task_id());
  EXPECT_EQ(record.id, PTO2TaskId::make(0, 0));
  EXPECT_EQ(record.kind, TaskKind::kMixed);
  EXPECT_EQ(record.kernels.aic_kernel_id, 3);
  EXPECT_EQ(record.kernels.aiv0_kernel_id, 4);
  EXPECT_EQ(record.kernels.aiv1_kernel_id, 5);
  EXPECT_EQ(record.block_num, 6);
  EXPECT_TRUE(record.require_sync_start);
  EXPECT_TRUE(record.allow_early_resolve);
  EXPECT_EQ(record.timing_slot, 2);
  const auto tensors = orchestrator->graph().tensors(record);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].use, TensorUse::kInput);
  EXPECT_EQ(tensors[1].use, TensorUse::kOutput);
  EXPECT_EQ(tensors[1].tensor.buffer.addr, outputs.get_ref(0).buffer.addr);
  const auto scalars = orchestrator->graph().scalars(record);
  ASSERT_EQ(scalars.size(), 2U);
  EXPECT_EQ(scalars[1], 12U);
  const TaskPredicate* const condition = orchestrator->graph().predicate(record);
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->tensor.buffer.addr, 0x10000U);
  EXPECT_EQ(condition->indices[0], 3U);
  EXPECT_EQ(condition->op, PredicateOp::LE);
  EXPECT_EQ(condition->target, -4);
}

TEST_F(OrchestratorTest, EachTaskHasItsOwnScalars) {
  const auto submit = [](std::vector<std::uint64_t> scalars) {
    CoreTaskArgs args;
    for (const std::uint64_t scalar : scalars) args.add_scalar(scalar);
    return rt_submit_aiv_task(0, args).task_id();
  };
  const auto scalars = [&](PTO2TaskId id) {
    const auto stored = orchestrator->graph().scalars(task(id));
    return std::vector<std::uint64_t>(stored.begin(), stored.end());
  };
  const PTO2TaskId first = submit({11, 12});
  const PTO2TaskId second = submit({13});
  const PTO2TaskId third = submit({});
  EXPECT_EQ(scalars(first), (std::vector<std::uint64_t>{11, 12}));
  EXPECT_EQ(scalars(second), (std::vector<std::uint64_t>{13}));
  EXPECT_EQ(scalars(third), std::vector<std::uint64_t>{});
}

TEST_F(OrchestratorTest, KindFollowsTheActiveKernelSlots) {
  const auto kind = [&](const MixedKernels& kernels) { return task(submit_blocks(kernels, 1).task_id()).kind; };
  EXPECT_EQ(kind({1, -1, -1}), TaskKind::kCube);
  EXPECT_EQ(kind({-1, 1, -1}), TaskKind::kVector);
  EXPECT_EQ(kind({1, 2, -1}), TaskKind::kMixed);
  EXPECT_EQ(kind({-1, 1, 2}), TaskKind::kMixed);
  CoreTaskArgs args;
  EXPECT_EQ(task(rt_submit_dummy_task(args).task_id()).kind, TaskKind::kDummy);
  EXPECT_EQ(task(rt_submit_aic_task(9, args).task_id()).kernels.aic_kernel_id, 9);
  EXPECT_EQ(task(rt_submit_aiv_task(9, args).task_id()).kernels.aiv0_kernel_id, 9);
}

TEST_F(OrchestratorTest, SecondVectorSlotAloneIsTheFirst) {
  const TaskRecord& alone = task(submit_blocks({-1, -1, 7}, 1).task_id());
  EXPECT_EQ(alone.kind, TaskKind::kVector);
  EXPECT_EQ(alone.kernels.aiv0_kernel_id, 7);
  EXPECT_EQ(alone.kernels.aiv1_kernel_id, -1);
  const MixedKernels with_cube = task(submit_blocks({1, -1, 7}, 1).task_id()).kernels;
  EXPECT_EQ(with_cube.aiv0_kernel_id, -1);
  EXPECT_EQ(with_cube.aiv1_kernel_id, 7);
}

TEST_F(OrchestratorTest, OutputsAreOwnedDeviceTensorsAtMultiplesOf1024) {
  const TaskOutputTensors first = submit_create({3, 5}, DataType::FLOAT16);
  const TaskOutputTensors second = submit_create({256, 2});
  const TaskOutputTensors third = submit_create({1});
  const ChipTensor& tensor = first.get_ref(0);
  EXPECT_EQ(tensor.buffer.addr, kHeap);
  EXPECT_EQ(tensor.buffer.size, 30U);
  EXPECT_EQ(tensor.owner_task_id, first.task_id());
  EXPECT_TRUE(tensor.is_device_memory());
  EXPECT_EQ(tensor.dtype, DataType::FLOAT16);
  EXPECT_EQ(second.get_ref(0).buffer.addr, kHeap + 1024);
  EXPECT_EQ(third.get_ref(0).buffer.addr, kHeap + 1024 + 2048);
}

TEST_F(OrchestratorTest, OutputReferencesStayValidWhileTheGraphGrows) {
  OrchestratorConfig config = default_config();
  config.heap_size = Bytes(std::uint64_t{4096} * 1024);
  start(std::move(config));
  std::vector<const ChipTensor*> tensors;
  for (int i = 0; i < 4096; ++i) {
    const TaskOutputTensors outputs = submit_create({1});
    tensors.push_back(&outputs.get_ref(0));
  }
  EXPECT_FALSE(rt_is_fatal());
  for (std::uint32_t i = 0; i < 4096; ++i) ASSERT_EQ(tensors[i]->buffer.addr, kHeap + 1024 * i);
}

TEST_F(OrchestratorTest, ScopesDoNotReclaimTheHeap) {
  PTO2_SCOPE() { submit_create({1}); }
  const TaskOutputTensors second = submit_create({1});
  EXPECT_EQ(second.get_ref(0).buffer.addr, kHeap + 1024);
}

TEST_F(OrchestratorTest, FullHeapIsFatal2) {
  submit_create({(1U << 20) / 4});
  EXPECT_FALSE(rt_is_fatal());
  start(default_config());
  submit_create({(1U << 20) / 4 + 1});
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_HEAP_RING_DEADLOCK);
  EXPECT_EQ(orchestrator->fatal_message(),
            "rt_submit_aiv_task: output 0 of 1048580 bytes does not fit the runtime heap at 0x12c000000000 (0 of "
            "1048576 bytes used)");
}

TEST_F(OrchestratorTest, FullTaskWindowIsFatal3) {
  CoreTaskArgs args;
  for (int i = 0; i < 16384; ++i) rt_submit_dummy_task(args);
  EXPECT_FALSE(rt_is_fatal());
  EXPECT_FALSE(rt_submit_dummy_task(args).task_id().is_valid());
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_FLOW_CONTROL_DEADLOCK);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_dummy_task: the task window of 16384 tasks is full");
  EXPECT_EQ(orchestrator->graph().tasks().size(), 16384U);
}

TEST_F(OrchestratorTest, AllocationTasksCountInTheTaskWindow) {
  OrchestratorConfig config = default_config();
  config.task_window = 1;
  start(std::move(config));
  const std::uint32_t shape[] = {1};
  const TensorCreateInfo info(shape, 1);
  alloc_tensors(info);
  EXPECT_FALSE(rt_is_fatal());
  alloc_tensors(info);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_FLOW_CONTROL_DEADLOCK);
}

TEST_F(OrchestratorTest, FullTensorMapIsFatal11) {
  OrchestratorConfig config = default_config();
  config.task_window = 70000;
  start(std::move(config));
  for (std::uint32_t i = 0; i < 65536; ++i) submit_output(floats(0x100000 + 64 * i, {1}));
  EXPECT_FALSE(rt_is_fatal());
  submit_output(floats(0x100000, {1}));
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_TENSORMAP_OVERFLOW);
  EXPECT_EQ(
      orchestrator->fatal_message(),
      "rt_submit_aiv_task: the TensorMap pool of 65536 entries is full; no room for the writer of 4 bytes at 0x100000");
}

TEST_F(OrchestratorTest, MoreThan64NestedScopesAreFatal1) {
  for (int i = 0; i < 64; ++i) rt_scope_begin();
  EXPECT_FALSE(rt_is_fatal());
  rt_scope_end();
  rt_scope_begin();
  EXPECT_FALSE(rt_is_fatal());
  rt_scope_begin();
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_SCOPE_DEADLOCK);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_scope_begin: more than 64 nested scopes");
}

TEST_F(OrchestratorTest, MoreThan128PredecessorsAreFatal4) {
  const ChipTensor tensor = floats(0x10000, {256});
  const std::uint32_t one[] = {1};
  for (std::uint32_t i = 0; i < 129; ++i) submit_output(tensor.view(one, &i));
  const std::uint32_t most[] = {128};
  const std::uint32_t start_at[] = {0};
  const PTO2TaskId fits = submit_input(tensor.view(most, start_at));
  EXPECT_EQ(predecessors(fits).size(), 128U);
  EXPECT_FALSE(rt_is_fatal());
  submit_input(tensor);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_DEP_POOL_OVERFLOW);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_aiv_task: task 130 has more than 128 predecessors");
}

TEST_F(OrchestratorTest, NoActiveKernelSlotIsFatal5) {
  submit_blocks({}, 1);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_task: no active kernel slot");
  start(default_config());
  CoreTaskArgs args;
  rt_submit_aic_task(-1, args);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_aic_task: no active kernel slot");
}

TEST_F(OrchestratorTest, BlockNumBelow1IsFatal5) {
  submit_blocks({1, -1, -1}, 1);
  EXPECT_FALSE(rt_is_fatal());
  submit_blocks({1, -1, -1}, 0);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(),
            "rt_submit_task: block_num 0 with 1 kernel slots; block_num must be at least 1 and the product at most "
            "32767");
}

TEST_F(OrchestratorTest, BlockNumTimesSlotsAbove32767IsFatal5) {
  submit_blocks({1, -1, -1}, 32767);
  submit_blocks({1, 2, 3}, 10922);  // 32766
  submit_blocks({-1, 2, 3}, 16383);
  EXPECT_FALSE(rt_is_fatal());
  submit_blocks({1, 2, 3}, 10923);  // 32769
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  start(default_config());
  submit_blocks({-1, 2, 3}, 16384);  // 32768
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
}

TEST_F(OrchestratorTest, SyncStartBeyondCapacityIsFatal7) {
  submit_blocks({1, -1, -1}, 24, true);
  submit_blocks({-1, 1, -1}, 48, true);
  submit_blocks({1, 2, 3}, 24, true);
  submit_blocks({1, -1, -1}, 25, false);
  EXPECT_FALSE(rt_is_fatal());
  submit_blocks({1, -1, -1}, 25, true);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_REQUIRE_SYNC_START_INVALID);
  EXPECT_EQ(orchestrator->fatal_message(),
            "rt_submit_task: require_sync_start with block_num 25, but only 24 clusters can start together");
  start(default_config());
  submit_blocks({-1, 1, -1}, 49, true);
  EXPECT_EQ(orchestrator->fatal_message(),
            "rt_submit_task: require_sync_start with block_num 49, but only 48 vector cores can start together");
  start(default_config());
  submit_blocks({1, 2, 3}, 25, true);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_REQUIRE_SYNC_START_INVALID);
}

TEST_F(OrchestratorTest, DependencyOnNoSubmittedTaskIsFatal5) {
  for (const PTO2TaskId wrong : {PTO2TaskId::make(0, 1), PTO2TaskId::make(1, 0), PTO2TaskId::invalid()}) {
    start(default_config());
    CoreTaskArgs first;
    const PTO2TaskId known = rt_submit_dummy_task(first).task_id();
    CoreTaskArgs second;
    second.set_dependencies(&wrong, 1);
    rt_submit_dummy_task(second);
    EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS) << wrong.raw;
    EXPECT_NE(orchestrator->fatal_message().find("is no submitted task"), std::string::npos);
    EXPECT_EQ(known, PTO2TaskId::make(0, 0));
  }
}

TEST_F(OrchestratorTest, OwnerThatIsNoSubmittedTaskIsFatal5) {
  ChipTensor forged = floats(0x10000, {4});
  forged.owner_task_id = PTO2TaskId::make(0, 0);
  submit_input(forged);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(),
            "rt_submit_aiv_task: tensor 0 at 0x10000 names an owner (0x0) that is no submitted task");
}

TEST_F(OrchestratorTest, ArgumentsWithAnErrorAreFatal5) {
  const ChipTensor tensor = floats(0x10000, {4});
  CoreTaskArgs args;
  args.add_scalar(1);
  args.add_input(tensor);
  rt_submit_aic_task(0, args);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_submit_aic_task: tensor added after a scalar");
}

TEST_F(OrchestratorTest, AllocTensorsTakesInfosAndNothingElse) {
  const std::uint32_t shape[] = {4};
  const TensorCreateInfo infos[] = {TensorCreateInfo(shape, 1), TensorCreateInfo(shape, 1)};
  EXPECT_EQ(alloc_tensors(infos, 2).size(), 2U);
  EXPECT_EQ(alloc_tensors(infos[0]).size(), 1U);
  CoreTaskArgs only_infos;
  only_infos.add_output(infos[0], infos[1]);
  const TaskOutputTensors from_args = alloc_tensors(only_infos);
  EXPECT_EQ(from_args.get_ref(1).buffer.addr, kHeap + 4 * 1024);
  EXPECT_FALSE(rt_is_fatal());

  EXPECT_TRUE(alloc_tensors(infos, 0).empty());
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(),
            "alloc_tensors: takes at least one TensorCreateInfo and nothing else (got 0 tensor arguments, 0 scalars, "
            "0 dependencies)");

  const ChipTensor tensor = floats(0x10000, {4});
  start(default_config());
  CoreTaskArgs with_tensor;
  with_tensor.add_output(infos[0]);
  with_tensor.add_input(tensor);
  alloc_tensors(with_tensor);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);

  start(default_config());
  CoreTaskArgs with_scalar;
  with_scalar.add_output(infos[0]);
  with_scalar.add_scalar(1);
  alloc_tensors(with_scalar);
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
}

TEST_F(OrchestratorTest, AutoInsideManualIsFatal5) {
  PTO2_SCOPE() {
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
      PTO2_SCOPE(PTO2ScopeMode::MANUAL) { EXPECT_FALSE(rt_is_fatal()); }
      PTO2_SCOPE() {}
    }
  }
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_INVALID_ARGS);
  EXPECT_EQ(orchestrator->fatal_message(), "rt_scope_begin: an AUTO scope inside a MANUAL scope");
}

TEST_F(OrchestratorTest, ScopeEndWithoutBeginIsFatal5) {
  rt_scope_begin();
  rt_scope_end();
  EXPECT_FALSE(rt_is_fatal());
  rt_scope_end();
  EXPECT_EQ(orchestrator->fatal_message(), "rt_scope_end: no scope is open");
}

TEST_F(OrchestratorTest, EverythingAfterAFatalIsANoOpAndTheFirstCodeStays) {
  EXPECT_EQ(rt_available_cluster_count(), 24);
  EXPECT_EQ(rt_available_aiv_count(), 48);
  std::uint32_t host = 7;
  ASSERT_TRUE(access.add_staged(DeviceAddr(kDevice), &host, Bytes(4)));
  const ChipTensor tensor = typed(kDevice, {1}, DataType::UINT32);
  const std::uint32_t index[] = {0};
  EXPECT_EQ(get_tensor_data(tensor, 1, index), 7U);

  rt_report_fatal(9, "block %d of %s", 3, "x");
  EXPECT_TRUE(rt_is_fatal());
  rt_report_fatal(5, "second");
  submit_blocks({}, 1);
  EXPECT_EQ(orchestrator->fatal_code(), 9);
  EXPECT_EQ(orchestrator->fatal_message(), "block 3 of x");
  EXPECT_EQ(get_tensor_data(tensor, 1, index), 0U);
  set_tensor_data<std::uint32_t>(tensor, 1, index, 8);
  EXPECT_EQ(host, 7U);
  EXPECT_TRUE(submit_create({1}).empty());
  EXPECT_TRUE(alloc_tensors(TensorCreateInfo(index, 1)).empty());
  EXPECT_FALSE(submit_input(tensor).is_valid());
  EXPECT_EQ(rt_available_cluster_count(), 0);
  EXPECT_EQ(rt_available_aiv_count(), 0);
  PTO2_SCOPE() {}
  EXPECT_TRUE(orchestrator->graph().tasks().empty());
  EXPECT_EQ(orchestrator->result().error().message,
            "run failed with code -9: orch_error_code=9 EXPLICIT_ORCH_FATAL: block 3 of x");
}

TEST_F(OrchestratorTest, FatalWithACodeThatMeansSuccessIsAnExplicitFatal) {
  rt_report_fatal(0, "stop");
  EXPECT_EQ(orchestrator->fatal_code(), PTO2_ERROR_EXPLICIT_ORCH_FATAL);
}

TEST_F(OrchestratorTest, LogLinesReachTheSinkWithTheirLevel) {
  LOG_WARN("%d blocks", 4);
  LOG_TIMING("done");
  ASSERT_EQ(log_lines.size(), 2U);
  EXPECT_EQ(log_lines[0], std::make_pair(Pto2LogLevel::kWarn, std::string("4 blocks")));
  EXPECT_EQ(log_lines[1].first, Pto2LogLevel::kTiming);
}

TEST_F(OrchestratorTest, UnboundCallsDoNothing) {
  pto2_bind_orchestration(nullptr, nullptr);
  const std::uint32_t index[] = {0};
  const ChipTensor tensor = typed(kDevice, {1}, DataType::UINT32);
  EXPECT_EQ(get_tensor_data(tensor, 1, index), 0U);
  set_tensor_data<std::uint32_t>(tensor, 1, index, 8);
  EXPECT_TRUE(submit_create({1}).empty());
  EXPECT_TRUE(alloc_tensors(TensorCreateInfo(index, 1)).empty());
  EXPECT_EQ(rt_available_cluster_count(), 0);
  EXPECT_EQ(rt_available_aiv_count(), 0);
  rt_report_fatal(5, "nobody hears");
  LOG_ERROR("nobody hears");
  PTO2_SCOPE() {}
  EXPECT_FALSE(rt_is_fatal());
  EXPECT_FALSE(orchestrator->is_fatal());
  EXPECT_TRUE(log_lines.empty());
}

// The compilers advise braces here, which is what the macro must do without.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-else"
TEST_F(OrchestratorTest, ScopeMacroLeavesAnElseToItsOwner) {
  const std::vector<int> expected = {1, 2};
  std::vector<int> taken;
  for (const bool first : {true, false}) {
    if (first) PTO2_SCOPE() {
        taken.push_back(1);
      }
    else
      taken.push_back(2);
  }
  EXPECT_EQ(taken, expected);
}
#pragma GCC diagnostic pop

TEST_F(OrchestratorTest, ScopesCloseHoweverTheirBlockIsLeft) {
  for (int i = 0; i < 2; ++i) {
    PTO2_SCOPE_GUARD();
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
      if (i == 0) continue;
      break;
    }
  }
  EXPECT_FALSE(rt_is_fatal());
  rt_scope_end();
  EXPECT_EQ(orchestrator->fatal_message(), "rt_scope_end: no scope is open");
}

}  // namespace
}  // namespace svmrt
