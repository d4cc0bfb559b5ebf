// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/session.h"

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
using testing::submit_writer;

class SessionTest : public testing::SessionFixture {};

TEST_F(SessionTest, StagedInputIsUploadedAndStagedOutputComesBack) {
  start();
  LambdaCallable callable(
      2, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) { submit_writer(ops, context, args, 1); });
  Session session(
      *runner_, executor_, callable,
      config({tensor("in", Direction::kIn, Residency::kStaged), tensor("out", Direction::kOut, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_FALSE(outcome.error.has_value()) << outcome.error->message;
  EXPECT_EQ(calls(CallKind::kCopyToDevice), 1U);    // only the input
  EXPECT_EQ(calls(CallKind::kCopyFromDevice), 1U);  // only the output
  EXPECT_EQ(calls(CallKind::kRegister), 0U);
  EXPECT_EQ(outcome.report.tasks, 1U);
  EXPECT_EQ(outcome.report.device_time, Picoseconds(777));
  EXPECT_EQ(buffers_.back()[0], 1);  // device memory started as zeros, the device added 1
  ASSERT_TRUE(session.tear_down().has_value());
  EXPECT_EQ(driver_.live_blocks(), 0U);
}

TEST_F(SessionTest, ResidentTensorIsUploadedOnceMappedOnceAndReadEachRound) {
  start();
  std::vector<std::uint64_t> seen;
  LambdaCallable callable(1, [&](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    seen.push_back(get(ops, context, args.tensor(0).ref(), 3));
    seen.push_back(get(ops, context, args.tensor(0).ref(), 4));
  });
  Session session(*runner_, executor_, callable, config({tensor("table", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  for (std::uint64_t round = 0; round < 3; ++round) {
    const RoundOutcome outcome = session.run_round();
    ASSERT_FALSE(outcome.error.has_value()) << outcome.error->message;
    EXPECT_EQ(outcome.report.mappings_established, round == 0 ? 1U : 0U);
    EXPECT_EQ(outcome.report.mappings_held, 1U);
    EXPECT_EQ(outcome.report.bytes_held, Bytes(kElements));
    EXPECT_EQ(outcome.report.regions_with_view, 1U);
    EXPECT_EQ(outcome.report.region_bytes_with_view, Bytes(kElements));
    EXPECT_EQ(outcome.report.accesses, 2U);
    EXPECT_EQ(outcome.report.device_copies, 0U);
  }
  EXPECT_EQ(seen, std::vector<std::uint64_t>(6, 1));
  EXPECT_EQ(calls(CallKind::kCopyToDevice), 1U);
  EXPECT_EQ(calls(CallKind::kRegister), 1U);
  EXPECT_EQ(calls(CallKind::kUnregister), 0U);
  ASSERT_TRUE(session.tear_down().has_value());
  EXPECT_EQ(calls(CallKind::kUnregister), 1U);
  EXPECT_EQ(driver_.live_blocks(), 0U);
}

TEST_F(SessionTest, ResidentTensorThatNobodyReadsIsNotMapped) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("table", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_EQ(session.run_round().report.regions_with_view, 0U);
  EXPECT_EQ(calls(CallKind::kRegister), 0U);
}

TEST_F(SessionTest, ResidentOutputIsAllocatedAndNeverUploaded) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("out", Direction::kOut, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_FALSE(session.child_memory()[0].is_null());
  EXPECT_EQ(calls(CallKind::kCopyToDevice), 0U);
}

TEST_F(SessionTest, ResidentInoutCarriesItsStateThroughTheRounds) {
  start();
  LambdaCallable callable(
      1, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) { submit_writer(ops, context, args, 0); });
  Session session(*runner_, executor_, callable, config({tensor("state", Direction::kInout, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  for (int round = 0; round < 3; ++round) ASSERT_FALSE(session.run_round().error.has_value());
  EXPECT_EQ(*driver_.bytes_at(session.child_memory()[0]), std::byte{1 + 3});
}

TEST_F(SessionTest, SecondAllocationFailsAndTheFirstIsFreed) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kIn, Residency::kStaged),
                          tensor("second", Direction::kIn, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  driver_.fail(CallKind::kAllocate, calls(CallKind::kAllocate) + 1, DriverCode::kOutOfMemory);
  const std::uint64_t before = driver_.live_blocks();
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_NE(outcome.error->message.find("'second'"), std::string::npos) << outcome.error->message;
  EXPECT_EQ(driver_.live_blocks(), before);
  EXPECT_FALSE(session.run_round().error.has_value());  // the next round works
}

TEST_F(SessionTest, OutputThatCannotComeBackIsAnErrorAndStillFreed) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("out", Direction::kOut, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  const std::uint64_t before = driver_.live_blocks();
  driver_.fail_next(CallKind::kCopyFromDevice, DriverCode::kInnerErr);
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_NE(outcome.error->message.find("'out'"), std::string::npos) << outcome.error->message;
  EXPECT_EQ(driver_.live_blocks(), before);
}

TEST_F(SessionTest, SetUpThatFailsHalfWayFreesWhatItTook) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kIn, Residency::kChildMemory),
                          tensor("second", Direction::kIn, Residency::kChildMemory)}));
  driver_.fail(CallKind::kCopyToDevice, 1, DriverCode::kInnerErr);
  const auto ready = session.set_up();
  ASSERT_FALSE(ready.has_value());
  EXPECT_NE(ready.error().message.find("'second'"), std::string::npos) << ready.error().message;
  EXPECT_EQ(driver_.live_blocks(), 0U);
}

TEST_F(SessionTest, TearDownFreesInReverseOrder) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kIn, Residency::kChildMemory),
                          tensor("second", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  const std::vector<DeviceAddr> allocated = addresses(CallKind::kAllocate);
  ASSERT_EQ(allocated.size(), 3U);  // two tensors and the runtime heap
  ASSERT_TRUE(session.tear_down().has_value());
  EXPECT_EQ(addresses(CallKind::kFree), std::vector<DeviceAddr>(allocated.rbegin(), allocated.rend()));
}

TEST_F(SessionTest, TearDownGoesOnAfterAFailedUnregisterAndReportsIt) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    (void)get(ops, context, args.tensor(1).ref(), 0);
  });
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kIn, Residency::kChildMemory),
                          tensor("second", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  ASSERT_FALSE(session.run_round().error.has_value());
  driver_.fail_next(CallKind::kUnregister, DriverCode::kBusy);
  const auto torn_down = session.tear_down();
  ASSERT_FALSE(torn_down.has_value());
  EXPECT_EQ(torn_down.error().code, ErrorCode::kUnregisterFailed);
  EXPECT_EQ(driver_.live_blocks(), 1U);  // the quarantined one
  ASSERT_EQ(runner_->quarantined().size(), 1U);
  const auto finalized = runner_->finalize();  // tries again
  ASSERT_TRUE(finalized.has_value());
  EXPECT_TRUE(finalized->quarantined.empty());
  EXPECT_EQ(driver_.live_blocks(), 0U);
}

TEST_F(SessionTest, AfterBindIsCalledWithTheFinishedReportAlsoWhenTheBindFails) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops& ops, void* context) {
    ops.report_fatal(context, PTO2_ERROR_INVALID_ARGS, "no");
  });
  SessionConfig arguments = config({tensor("in", Direction::kIn, Residency::kStaged)});
  driver_.set_cost(CallKind::kCopyToDevice, Picoseconds(500));
  int calls_seen = 0;
  arguments.after_bind = [&](const BoundRun& run) {
    ++calls_seen;
    EXPECT_EQ(run.report().bind_time, Picoseconds(500));
    EXPECT_FALSE(run.device_addresses()[0].is_null());
  };
  Session session(*runner_, executor_, callable, std::move(arguments));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_TRUE(session.run_round().error.has_value());
  EXPECT_EQ(calls_seen, 1);
}

TEST_F(SessionTest, HookBeforeTheBindSeesTheOpenRunBeforeItMakesACall) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  SessionConfig arguments = config(
      {tensor("table", Direction::kIn, Residency::kChildMemory), tensor("staged", Direction::kIn, Residency::kStaged)});
  DeviceAddr table;
  std::vector<TimelineId> timelines;
  arguments.before_bind = [&](const BoundRun& run) {
    EXPECT_NE(run.timeline(), kRunnerTimeline);
    timelines.push_back(run.timeline());
    EXPECT_EQ(run.device_addresses()[0], table);
    EXPECT_TRUE(run.device_addresses()[1].is_null());
    EXPECT_EQ(run.report().bind_time, Picoseconds(0));
  };
  arguments.after_bind = [&](const BoundRun& run) { timelines.push_back(run.timeline()); };
  Session session(*runner_, executor_, callable, std::move(arguments));
  ASSERT_TRUE(session.set_up().has_value());
  table = session.child_memory()[0];
  ASSERT_FALSE(table.is_null());
  EXPECT_FALSE(session.run_round().error.has_value());
  ASSERT_EQ(timelines.size(), 2U);
  EXPECT_EQ(timelines[0], timelines[1]);
}

TEST_F(SessionTest, UploadTimeIsTheSumOverTheResidentTensors) {
  start();
  driver_.set_cost(CallKind::kCopyToDevice, Picoseconds(500));
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kIn, Residency::kChildMemory),
                          tensor("second", Direction::kInout, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_EQ(session.upload_time(), Picoseconds(2 * 500));
}

TEST_F(SessionTest, TearDownReportsTheFirstOfTwoFailures) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) {
    (void)get(ops, context, args.tensor(0).ref(), 0);
    (void)get(ops, context, args.tensor(1).ref(), 0);
  });
  Session session(*runner_, executor_, callable,
                  config({tensor("first", Direction::kIn, Residency::kChildMemory),
                          tensor("second", Direction::kIn, Residency::kChildMemory)}));
  ASSERT_TRUE(session.set_up().has_value());
  ASSERT_FALSE(session.run_round().error.has_value());
  driver_.fail(CallKind::kUnregister, 0, DriverCode::kBusy);
  driver_.fail(CallKind::kUnregister, 1, DriverCode::kInnerErr);
  const auto torn_down = session.tear_down();
  ASSERT_FALSE(torn_down.has_value());
  EXPECT_EQ(calls(CallKind::kUnregister), 2U);
  EXPECT_EQ(torn_down.error().driver_code, DriverCode::kBusy);
}

TEST_F(SessionTest, AfterTearDownNothingIsNamedAndARoundIsRefused) {
  start();
  LambdaCallable callable(2, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable,
                  config({tensor("table", Direction::kIn, Residency::kChildMemory),
                          tensor("in", Direction::kIn, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  EXPECT_FALSE(session.config().orchestrator.heap_base.is_null());
  ASSERT_TRUE(session.tear_down().has_value());
  EXPECT_EQ(session.child_memory(), std::vector<DeviceAddr>(2));
  EXPECT_TRUE(session.config().orchestrator.heap_base.is_null());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidArgument);
  EXPECT_NE(outcome.error->message.find("'table'"), std::string::npos) << outcome.error->message;
  EXPECT_EQ(callable.invocations, 0);
  EXPECT_EQ(executor_.launches, 0);
  EXPECT_EQ(driver_.live_blocks(), 0U);
}

TEST_F(SessionTest, FailedExecutionLeavesTheHostBuffersAloneAndFreesWhatWasStaged) {
  start();
  LambdaCallable callable(
      2, [](const ChipTaskArgs& args, const Pto2Ops& ops, void* context) { submit_writer(ops, context, args, 0); });
  Session session(
      *runner_, executor_, callable,
      config({tensor("out", Direction::kOut, Residency::kStaged), tensor("in", Direction::kIn, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  const std::uint64_t before = driver_.live_blocks();
  buffers_.front().assign(kElements, 0x5a);  // neither the zeros of fresh device memory nor what the device wrote
  executor_.error = Error{ErrorCode::kDriver, "a core hung", DriverCode::kInnerErr, 0};
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->message, "a core hung");
  EXPECT_EQ(executor_.launches, 1);
  EXPECT_EQ(buffers_.front(), std::vector<std::uint8_t>(kElements, 0x5a));
  EXPECT_EQ(calls(CallKind::kCopyFromDevice), 0U);
  EXPECT_EQ(driver_.live_blocks(), before);
  EXPECT_EQ(driver_.open_timelines(), 0U);
}
TEST_F(SessionTest, RoundOnAFinalizedRunnerFailsBeforeTheOrchestration) {
  start();
  LambdaCallable callable(0, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({}));
  ASSERT_TRUE(session.set_up().has_value());
  ASSERT_TRUE(runner_->finalize().has_value());
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, ErrorCode::kFinalized) << outcome.error->message;
  EXPECT_EQ(callable.invocations, 0);
  EXPECT_EQ(executor_.launches, 0);
}

TEST_F(SessionTest, SetUpOnAFinalizedRunnerFailsWithoutADriverCall) {
  start();
  LambdaCallable callable(0, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({}));
  ASSERT_TRUE(runner_->finalize().has_value());
  const std::size_t before = driver_.calls().size();
  const auto result = session.set_up();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kFinalized) << result.error().message;
  EXPECT_EQ(driver_.calls().size(), before);
}

}  // namespace
}  // namespace svmrt
