// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/bind.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/run/testing/session_fixture.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::get;
using testing::kElements;
using testing::LambdaCallable;

class BindTest : public testing::SessionFixture {};

TEST_F(BindTest, RebuildMapsInEachRoundAndHoldsNothingBetween) {
  start(Policy::kRebuild);
  driver_.set_cost(CallKind::kRegister, Picoseconds(100));
  driver_.set_cost(CallKind::kUnregister, Picoseconds(10));
  LambdaCallable callable(1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    (void)get(ops, context, args.tensor(0).ref(), 0);
  });
  Session session(*runner_, executor_, callable, config({tensor("table", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  for (int round = 0; round < 2; ++round) {
    const RunReport report = session.run_round().report;
    EXPECT_EQ(report.mappings_established, 1U);
    EXPECT_EQ(report.mappings_held, 0U);
    EXPECT_EQ(report.regions_with_view, 1U);
    EXPECT_EQ(report.map_time, Picoseconds(100));
    EXPECT_EQ(report.unmap_time, Picoseconds(10));
    EXPECT_EQ(report.host_view_close_time, Picoseconds(10));
    EXPECT_EQ(report.bind_time, Picoseconds(110));
  }
  EXPECT_EQ(calls(CallKind::kUnregister), 2U);
}

TEST_F(BindTest, RegisterAllMapsEveryResidentTensorOutputsToo) {
  start(Policy::kRegisterAll);
  LambdaCallable callable(3, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("in", Direction::kIn, Residency::kChildMemory),
                          tensor("staged", Direction::kIn, Residency::kStaged),
                          tensor("out", Direction::kOut, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  const RunReport report = session.run_round().report;
  EXPECT_EQ(report.mappings_established, 2U);
  EXPECT_EQ(report.regions_with_view, 2U);
  EXPECT_EQ(report.region_bytes_with_view, Bytes(2 * kElements));
  EXPECT_EQ(report.mappings_held, 0U);
  EXPECT_EQ(calls(CallKind::kUnregister), 2U);
}

TEST_F(BindTest, CopyOnlyMakesOneCopyPerAccessOfJustItsBytes) {
  start(Policy::kCopyOnly);
  driver_.set_cost(CallKind::kCopyFromDevice, Picoseconds(1000));
  LambdaCallable callable(1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    for (std::uint32_t i = 0; i < 5; ++i) (void)get(ops, context, args.tensor(0).ref(), i);
  });
  Session session(*runner_, executor_, callable, config({tensor("table", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  const RunReport report = session.run_round().report;
  EXPECT_EQ(report.device_copies, 5U);
  EXPECT_EQ(report.accesses, 5U);
  EXPECT_EQ(report.copy_time, Picoseconds(5000));
  EXPECT_EQ(calls(CallKind::kRegister), 0U);
  for (const auto& call : driver_.calls()) {
    if (call.kind == CallKind::kCopyFromDevice) {
      EXPECT_EQ(call.bytes, Bytes(1));
    }
  }
}

TEST_F(BindTest, BindTimeHoldsUploadsMapsAndCopies) {
  start();
  driver_.set_cost(CallKind::kCopyToDevice, Picoseconds(500));
  driver_.set_cost(CallKind::kRegister, Picoseconds(100));
  driver_.set_cost(CallKind::kAllocate, Picoseconds(7));
  driver_.set_cost(CallKind::kCopyFromDevice, Picoseconds(30));
  LambdaCallable callable(2, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    (void)get(ops, context, args.tensor(1).ref(), 0);
    const std::uint32_t index = 2;
    ChipTensor staged = args.tensor(0).ref();
    ops.set_tensor_data(context, &staged, 1, &index, 9);
  });
  Session session(*runner_, executor_, callable,
                  config({tensor("state", Direction::kInout, Residency::kStaged),
                          tensor("table", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_EQ(session.upload_time(), Picoseconds(500));
  const RunReport report = session.run_round().report;
  EXPECT_EQ(report.upload_time, Picoseconds(500));
  EXPECT_EQ(report.push_time, Picoseconds(500));
  EXPECT_EQ(report.map_time, Picoseconds(100));
  EXPECT_EQ(report.bind_time, Picoseconds(7 + 500 + 100 + 500));
  EXPECT_EQ(report.download_time, Picoseconds(30));
  EXPECT_EQ(report.accesses, 1U);  // the staged write is none
  EXPECT_EQ(report.staged_writes, 1U);
  EXPECT_EQ(buffers_.front()[2], 9);
}

TEST_F(BindTest, FatalOfTheOrchestrationEndsTheRoundWithItsCodeAndLeavesNothingBehind) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops& ops, void* context) {
    ops.report_fatal(context, PTO2_ERROR_EXPLICIT_ORCH_FATAL, "enough");
  });
  Session session(*runner_, executor_, callable,
                  config({tensor("in", Direction::kIn, Residency::kStaged),
                          tensor("table", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  const std::uint64_t before = driver_.live_blocks();
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, ErrorCode::kOrchestration);
  EXPECT_EQ(outcome.error->orchestration_code, PTO2_ERROR_EXPLICIT_ORCH_FATAL);
  EXPECT_EQ(outcome.report.orch_error_code, PTO2_ERROR_EXPLICIT_ORCH_FATAL);
  EXPECT_NE(outcome.error->message.find("enough"), std::string::npos) << outcome.error->message;
  EXPECT_EQ(executor_.launches, 0);
  EXPECT_EQ(driver_.live_blocks(), before);
  EXPECT_EQ(driver_.open_timelines(), 0U);
}

TEST_F(BindTest, WrongNumberOfArgumentsIsRefusedBeforeTheEntryPoint) {
  start();
  LambdaCallable callable(3, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  SessionConfig arguments = config({tensor("in", Direction::kIn, Residency::kStaged)});
  arguments.scalars = {5};
  Session session(*runner_, executor_, callable, std::move(arguments));
  ASSERT_TRUE(session.set_up().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidArgument);
  EXPECT_NE(outcome.error->message.find("takes 3 arguments"), std::string::npos) << outcome.error->message;
  EXPECT_EQ(callable.invocations, 0);
}

TEST_F(BindTest, PureOutputCanBeNeitherReadNorWritten) {
  for (const Residency residency : {Residency::kStaged, Residency::kChildMemory}) {
    start();
    LambdaCallable callable(1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
      (void)get(ops, context, args.tensor(0).ref(), 0);
    });
    Session session(*runner_, executor_, callable, config({tensor("out", Direction::kOut, residency)}));
    ASSERT_TRUE(session.set_up().has_value());
    const RoundOutcome outcome = session.run_round();
    ASSERT_TRUE(outcome.error.has_value());
    EXPECT_EQ(outcome.error->orchestration_code, PTO2_ERROR_INVALID_ARGS);
  }
}

TEST_F(BindTest, FailedStagedAllocationKeepsTheDriversCode) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("in", Direction::kIn, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  driver_.fail_next(CallKind::kAllocate, DriverCode::kOutOfMemory);
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->driver_code, DriverCode::kOutOfMemory);
}

TEST_F(BindTest, TensorWithoutDataIsRefusedToTheOrchestrationAndStillMappedByRegisterAll) {
  for (const Residency residency : {Residency::kStaged, Residency::kChildMemory}) {
    start(Policy::kRegisterAll);
    LambdaCallable callable(1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
      (void)get(ops, context, args.tensor(0).ref(), 0);
    });
    TensorArgument argument = tensor("weights", Direction::kIn, residency);
    argument.has_data = false;
    Session session(*runner_, executor_, callable, config({argument}));
    ASSERT_TRUE(session.set_up().has_value());
    const RoundOutcome outcome = session.run_round();
    ASSERT_TRUE(outcome.error.has_value());
    EXPECT_EQ(outcome.error->orchestration_code, PTO2_ERROR_INVALID_ARGS);
    EXPECT_EQ(outcome.report.mappings_established, residency == Residency::kChildMemory ? 1U : 0U);
  }
}

TEST_F(BindTest, FailedUploadNamesTheTensorAndTheCode) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("in", Direction::kIn, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  driver_.fail_next(CallKind::kCopyToDevice, DriverCode::kInnerErr);
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->driver_code, DriverCode::kInnerErr);
  EXPECT_NE(outcome.error->message.find("'in'"), std::string::npos) << outcome.error->message;
  EXPECT_NE(outcome.error->message.find("INNER_ERR (7)"), std::string::npos) << outcome.error->message;
}

TEST_F(BindTest, DeviceLostBeforeTheCopyBackIsSaidInTheError) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  SessionConfig settings = config({tensor("x", Direction::kOut, Residency::kStaged)});
  settings.after_bind = [this](const BoundRun&) { runner_->device_lost(); };
  Session session(*runner_, executor_, callable, settings);
  ASSERT_TRUE(session.set_up().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, ErrorCode::kDeviceLost);
  EXPECT_EQ(outcome.error->message,
            "cannot bring back 16 bytes of staged tensor 'x': the device is lost to this process");
}

TEST_F(BindTest, DeviceLostDuringTheReadsIsUnavailableAndCountsNoCopy) {
  start(Policy::kCopyOnly);
  LambdaCallable callable(1, [this](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    get(ops, context, args.tensor(0).ref(), 0);
    runner_->device_lost();
    get(ops, context, args.tensor(0).ref(), 1);
  });
  Session session(*runner_, executor_, callable, config({tensor("x", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_NE(outcome.error->message.find("the device is lost"), std::string::npos) << outcome.error->message;
  EXPECT_EQ(outcome.report.device_copies, 1U);
}

TEST_F(BindTest, UploadTimeIsTheSumOverTheStagedInputs) {
  start();
  driver_.set_cost(CallKind::kCopyToDevice, Picoseconds(500));
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("in", Direction::kIn, Residency::kStaged),
                          tensor("state", Direction::kInout, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_EQ(session.run_round().report.upload_time, Picoseconds(2 * 500));
}

TEST_F(BindTest, DownloadTimeHoldsTheCopiesBackAndNotTheFrees) {
  start();
  driver_.set_cost(CallKind::kCopyFromDevice, Picoseconds(30));
  driver_.set_cost(CallKind::kFree, Picoseconds(4000));
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("out", Direction::kOut, Residency::kStaged),
                          tensor("state", Direction::kInout, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_EQ(session.run_round().report.download_time, Picoseconds(2 * 30));
  EXPECT_EQ(calls(CallKind::kFree), 2U);
}

TEST_F(BindTest, FailedOrchestrationHasItsHostViewsClosedWithinTheBind) {
  start(Policy::kRebuild);
  driver_.set_cost(CallKind::kUnregister, Picoseconds(10));
  LambdaCallable callable(1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    (void)get(ops, context, args.tensor(0).ref(), 0);
    ops.report_fatal(context, PTO2_ERROR_EXPLICIT_ORCH_FATAL, "enough");
  });
  SessionConfig arguments = config({tensor("table", Direction::kIn, Residency::kChildMemory)});
  int calls_seen = 0;
  arguments.after_bind = [&](const BoundRun& run) {
    ++calls_seen;
    EXPECT_EQ(runner_->held().count, 0U);
    EXPECT_EQ(driver_.mappings().size(), 0U);
    EXPECT_EQ(run.report().accesses, 1U);
    EXPECT_EQ(run.report().mappings_established, 1U);
    EXPECT_EQ(run.report().unmap_time, Picoseconds(10));
  };
  Session session(*runner_, executor_, callable, std::move(arguments));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_TRUE(session.run_round().error.has_value());
  EXPECT_EQ(calls_seen, 1);
}

TEST_F(BindTest, TwoOutputsThatCannotComeBackReportTheFirst) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kOut, Residency::kStaged),
                          tensor("second", Direction::kOut, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  driver_.fail(CallKind::kCopyFromDevice, 0, DriverCode::kInnerErr);
  driver_.fail(CallKind::kCopyFromDevice, 1, DriverCode::kBusy);
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(calls(CallKind::kCopyFromDevice), 2U);
  EXPECT_EQ(outcome.error->driver_code, DriverCode::kInnerErr);
  EXPECT_NE(outcome.error->message.find("'first'"), std::string::npos) << outcome.error->message;
}

TEST_F(BindTest, FailedCopyBackGoesBeforeAFailedFree) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("out", Direction::kOut, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  driver_.fail_next(CallKind::kCopyFromDevice, DriverCode::kInnerErr);
  driver_.fail_next(CallKind::kFree, DriverCode::kBusy);
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->driver_code, DriverCode::kInnerErr);
}

TEST_F(BindTest, ErrorOfTheEntryPointWithoutAFatalKeepsItsCode) {
  start();
  LambdaCallable callable(0, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  callable.invoke_error =
      Error{ErrorCode::kOrchestration, "an exception", DriverCode::kNone, PTO2_ERROR_TENSORMAP_OVERFLOW};
  Session session(*runner_, executor_, callable, config({}));
  ASSERT_TRUE(session.set_up().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->orchestration_code, PTO2_ERROR_TENSORMAP_OVERFLOW);
  EXPECT_EQ(outcome.report.orch_error_code, PTO2_ERROR_TENSORMAP_OVERFLOW);
  EXPECT_EQ(executor_.launches, 0);
}

TEST_F(BindTest, ErrorOfTheArgumentCountKeepsItsCode) {
  start();
  LambdaCallable callable(0, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  callable.expected_error =
      Error{ErrorCode::kOrchestration, "an exception", DriverCode::kNone, PTO2_ERROR_TENSORMAP_OVERFLOW};
  Session session(*runner_, executor_, callable, config({}));
  ASSERT_TRUE(session.set_up().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->orchestration_code, PTO2_ERROR_TENSORMAP_OVERFLOW);
  EXPECT_EQ(outcome.report.orch_error_code, PTO2_ERROR_TENSORMAP_OVERFLOW);
  EXPECT_EQ(callable.invocations, 0);
}

TEST_F(BindTest, ArgumentsAreDescribedAsTheyAre) {
  start();
  const std::vector<AddressSpace> spaces = {AddressSpace::DEVICE, AddressSpace::HOST};
  std::vector<std::uint64_t> seen;
  LambdaCallable callable(2, [&](const ChipTaskArgs& args, const Pto2Ops&, void*) {
    ASSERT_EQ(args.tensor_count(), 2);
    for (std::int32_t i = 0; i < 2; ++i) {
      const ChipTensor& described = args.tensor(i).ref();
      seen.push_back(described.buffer.addr);
      EXPECT_EQ(described.address_space, spaces[static_cast<std::size_t>(i)]);
      EXPECT_EQ(described.buffer.size, 2U * 3U * 2U);
      EXPECT_EQ(described.dtype, DataType::INT16);
      ASSERT_EQ(described.ndims, 2U);
      EXPECT_EQ(described.shapes[0], 2U);
      EXPECT_EQ(described.shapes[1], 3U);
      EXPECT_EQ(described.strides[0], 3U);
      EXPECT_EQ(described.strides[1], 1U);
      EXPECT_EQ(described.start_offset, 0U);
      EXPECT_FALSE(described.owner_task_id.is_valid());
    }
  });
  std::vector<TensorArgument> tensors = {tensor("table", Direction::kIn, Residency::kChildMemory),
                                         tensor("in", Direction::kIn, Residency::kStaged)};
  for (TensorArgument& argument : tensors) {
    argument.shape = {2, 3};
    argument.dtype = DataType::INT16;
  }
  SessionConfig arguments = config(std::move(tensors));
  std::vector<std::uint64_t> expected;
  arguments.after_bind = [&](const BoundRun& run) {
    for (const DeviceAddr address : run.device_addresses()) expected.push_back(address.value());
  };
  Session session(*runner_, executor_, callable, std::move(arguments));
  ASSERT_TRUE(session.set_up().has_value());
  ASSERT_FALSE(session.run_round().error.has_value());
  EXPECT_EQ(seen, expected);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0], session.child_memory()[0].value());
}

TEST_F(BindTest, ArgumentTagsAndScalarsFollowTheRequest) {
  start();
  LambdaCallable callable(5, [](const ChipTaskArgs& args, const Pto2Ops&, void*) {
    ASSERT_EQ(args.tensor_count(), 3);
    EXPECT_EQ(args.tag(0), TensorArgType::INPUT);
    EXPECT_EQ(args.tag(1), TensorArgType::INOUT);
    EXPECT_EQ(args.tag(2), TensorArgType::OUTPUT_EXISTING);
    ASSERT_EQ(args.scalar_count(), 2);
    EXPECT_EQ(args.scalar(0), 41U);
    EXPECT_EQ(args.scalar(1), 42U);
  });
  SessionConfig arguments =
      config({tensor("in", Direction::kIn, Residency::kStaged), tensor("state", Direction::kInout, Residency::kStaged),
              tensor("out", Direction::kOut, Residency::kStaged)});
  arguments.scalars = {41, 42};
  Session session(*runner_, executor_, callable, std::move(arguments));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_FALSE(session.run_round().error.has_value());
  EXPECT_EQ(callable.invocations, 1);
}

TEST_F(BindTest, StagedBuffersAreFreedInReverseOrder) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(
      *runner_, executor_, callable,
      config({tensor("in", Direction::kIn, Residency::kStaged), tensor("out", Direction::kOut, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  ASSERT_FALSE(session.run_round().error.has_value());
  const std::vector<DeviceAddr> allocated = addresses(CallKind::kAllocate);
  ASSERT_EQ(allocated.size(), 3U);  // the runtime heap, then the two buffers
  EXPECT_EQ(addresses(CallKind::kFree), (std::vector<DeviceAddr>{allocated[2], allocated[1]}));
}
}  // namespace
}  // namespace svmrt
