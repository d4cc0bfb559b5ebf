// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/session.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "runtime/testing/fake_driver.h"

namespace svmrt {
namespace {

using testing::CallKind;
using testing::FakeDriver;

// The orchestration of a test: a lambda over the table that a shared object would be bound to.
class LambdaCallable final : public Callable {
 public:
  using Body = std::function<void(const ChipTaskArgs&, const Pto2Ops&, void*)>;
  LambdaCallable(std::int32_t expected, Body body) : expected_(expected), body_(std::move(body)) {}
  Result<std::int32_t> expected_arg_count(const ChipTaskArgs&) override { return expected_; }
  Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override {
    ++invocations;
    body_(args, ops, context);
    return {};
  }
  int invocations = 0;

 private:
  std::int32_t expected_;
  Body body_;
};

// A device that adds 1 to every byte of each task's written tensors.
class AddingExecutor final : public Executor {
 public:
  explicit AddingExecutor(FakeDriver& driver) : driver_(driver) {}
  Result<ExecutionReport> execute(TimelineId, const TaskGraph& graph) override {
    ++launches;
    for (const TaskRecord& task : graph.tasks()) {
      for (const TaskTensor& argument : graph.tensors(task)) {
        if (argument.use == TensorUse::kInput || argument.use == TensorUse::kNoDep) continue;
        std::byte* const bytes = driver_.bytes_at(DeviceAddr(argument.tensor.buffer.addr));
        for (std::uint64_t i = 0; i < argument.tensor.nbytes(); ++i) {
          bytes[i] = static_cast<std::byte>(static_cast<int>(bytes[i]) + 1);
        }
      }
    }
    return ExecutionReport{Picoseconds(777), graph.tasks().size()};
  }
  int launches = 0;

 private:
  FakeDriver& driver_;
};

constexpr std::uint32_t kElements = 16;

std::uint64_t get(const Pto2Ops& ops, void* context, const ChipTensor& tensor, std::uint32_t index) {
  return ops.get_tensor_data(context, &tensor, 1, &index);
}

class SessionTest : public ::testing::Test {
 protected:
  void start(Policy policy = Policy::kCached) {
    RunnerConfig config;
    config.policy = policy;
    runner_.emplace(driver_, config);
  }

  TensorArgument tensor(const char* name, Direction direction, Residency residency) {
    buffers_.push_back(std::vector<std::uint8_t>(kElements, static_cast<std::uint8_t>(buffers_.size() + 1)));
    return {name, {kElements}, DataType::UINT8, direction, residency, buffers_.back().data()};
  }

  SessionConfig config(std::vector<TensorArgument> tensors) {
    SessionConfig result;
    result.tensors = std::move(tensors);
    result.heap_size = Bytes(64 << 10);
    return result;
  }

  std::uint64_t calls(CallKind kind) const { return driver_.count(kind); }

  FakeDriver driver_;
  AddingExecutor executor_{driver_};
  std::optional<DeviceRunner> runner_;
  std::list<std::vector<std::uint8_t>> buffers_;
};

// One task of function 0 that writes tensor argument `index`.
void submit_writer(const Pto2Ops& ops, void* context, const ChipTaskArgs& args, std::int32_t index) {
  MixedKernels kernels;
  kernels.aic_kernel_id = 0;
  CoreTaskArgs task;
  ChipTensor tensor = args.tensor(index).ref();
  task.add_output(tensor);
  (void)ops.submit(context, "rt_submit_aic_task", &kernels, &task);
}

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

TEST_F(SessionTest, RebuildMapsInEachRoundAndHoldsNothingBetween) {
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

TEST_F(SessionTest, RegisterAllMapsEveryResidentTensorOutputsToo) {
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

TEST_F(SessionTest, CopyOnlyMakesOneCopyPerAccessOfJustItsBytes) {
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

TEST_F(SessionTest, BindTimeHoldsUploadsMapsAndCopies) {
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
  EXPECT_EQ(buffers_.front()[2], 9);
}

TEST_F(SessionTest, FatalOfTheOrchestrationEndsTheRoundWithItsCodeAndLeavesNothingBehind) {
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

TEST_F(SessionTest, WrongNumberOfArgumentsIsRefusedBeforeTheEntryPoint) {
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

TEST_F(SessionTest, PureOutputCanBeNeitherReadNorWritten) {
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

TEST_F(SessionTest, FailedUploadNamesTheTensorAndTheCode) {
  start();
  LambdaCallable callable(1, [](const ChipTaskArgs&, const Pto2Ops&, void*) {});
  Session session(*runner_, executor_, callable, config({tensor("in", Direction::kIn, Residency::kStaged)}));
  ASSERT_TRUE(session.set_up().has_value());
  driver_.fail_next(CallKind::kCopyToDevice, DriverCode::kInnerErr);
  const RoundOutcome outcome = session.run_round();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->driver_code, DriverCode::kInnerErr);
  EXPECT_NE(outcome.error->message.find("'in'"), std::string::npos) << outcome.error->message;
  EXPECT_NE(outcome.error->message.find("7 (INNER_ERR)"), std::string::npos) << outcome.error->message;
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
  std::vector<DeviceAddr> allocated;
  for (const auto& call : driver_.calls()) {
    if (call.kind == CallKind::kAllocate) allocated.push_back(call.address);
  }
  ASSERT_EQ(allocated.size(), 3U);  // two tensors and the runtime heap
  ASSERT_TRUE(session.tear_down().has_value());
  std::vector<DeviceAddr> freed;
  for (const auto& call : driver_.calls()) {
    if (call.kind == CallKind::kFree) freed.push_back(call.address);
  }
  EXPECT_EQ(freed, std::vector<DeviceAddr>(allocated.rbegin(), allocated.rend()));
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

}  // namespace
}  // namespace svmrt
