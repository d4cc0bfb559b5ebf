// SPDX-License-Identifier: Apache-2.0
#include "onboard/host_executor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "runtime/device_runner.h"
#include "runtime/testing/test_support.h"

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::ErrorCode;
using svmrt::kRunnerTimeline;
using svmrt::Picoseconds;
using svmrt::TaskKind;
using svmrt::TaskTensor;
using svmrt::TensorUse;
using svmrt::testing::CallKind;
using svmrt::testing::FakeDriver;
using svmrt::testing::MappingPlace;

using Outcome = tl::expected<void, std::string>;

std::uint64_t word(const svmrt::KernelTensor& tensor) {
  std::uint64_t value = 0;
  std::memcpy(&value, tensor.data, sizeof value);
  return value;
}
void set_word(const svmrt::KernelTensor& tensor, std::uint64_t value) {
  std::memcpy(tensor.data, &value, sizeof value);
}

// Adds its scalar to the first tensor and stores the sum in the last.
Outcome add(const svmrt::KernelCall& call) {
  set_word(call.tensors.back(), word(call.tensors.front()) + call.scalars[0]);
  return {};
}
Outcome object(const svmrt::KernelCall& call) {
  set_word(call.tensors.back(), 666);
  return tl::unexpected<std::string>("tensor 0 has the wrong shape");
}

svmrt::KernelFunction kernel_of(std::int32_t function) {
  return function == 1 ? add : function == 2 ? object : nullptr;
}

class HostExecutorTest : public testing::Test {
 protected:
  HostExecutorTest() : base_(driver_.allocate(kRunnerTimeline, Bytes(4096)).address) {}

  [[nodiscard]] TaskTensor at(std::uint64_t index, TensorUse use) const {
    const std::uint32_t shape[] = {1};
    return {make_tensor_external(reinterpret_cast<void*>(base_.value() + 8 * index), shape, 1, DataType::INT64), use};
  }
  // A task that adds `scalar` to word `from` and stores the sum in word `to`.
  std::uint32_t add_task(std::int32_t function, std::uint64_t from, std::uint64_t to, std::uint64_t scalar,
                         std::uint32_t predicate = svmrt::kNoPredicate) {
    svmrt::TaskRecord task;
    task.kind = TaskKind::kVector;
    task.kernels.aiv0_kernel_id = function;
    task.predicate = predicate;
    const TaskTensor tensors[] = {at(from, TensorUse::kInput), at(to, TensorUse::kOutputExisting)};
    return graph_.add(task, tensors, {&scalar, 1}, {});
  }
  std::uint32_t when(std::uint64_t index, PredicateOp op, std::int64_t target, DataType dtype = DataType::INT64) {
    svmrt::TaskPredicate predicate;
    predicate.tensor = at(index, TensorUse::kInput).tensor;
    predicate.tensor.dtype = dtype;
    predicate.op = op;
    predicate.target = target;
    return graph_.add_predicate(predicate);
  }
  [[nodiscard]] std::uint64_t value(std::uint64_t index) const {
    return svmrt::testing::peek<std::uint64_t>(driver_, base_ + Bytes(8 * index));
  }
  void put(std::uint64_t index, std::uint64_t value) { svmrt::testing::poke(driver_, base_ + Bytes(8 * index), value); }
  svmrt::Result<svmrt::ExecutionReport> execute() {
    return HostExecutor(driver_, svmrt::effect_of_kernels(kernel_of)).execute(run_, graph_);
  }

  FakeDriver driver_{MappingPlace::kElsewhere};
  const DeviceAddr base_;
  const svmrt::TimelineId run_ = driver_.open_timeline();
  svmrt::TaskGraph graph_;
};

TEST_F(HostExecutorTest, EachTaskSeesWhatTheOnesBeforeItWrote) {
  put(0, 5);
  add_task(1, 0, 1, 10);
  add_task(1, 1, 2, 100);
  add_task(1, 2, 0, 1000);
  const auto report = execute();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tasks_run, 3u);
  EXPECT_EQ(value(1), 15u);
  EXPECT_EQ(value(2), 115u);
  EXPECT_EQ(value(0), 1115u);
}

TEST_F(HostExecutorTest, DeviceTimeIsWhatPassedOnTheRunsTimeline) {
  driver_.set_cost(CallKind::kCopyFromDevice, Picoseconds(100));
  driver_.set_cost(CallKind::kCopyToDevice, Picoseconds(1));
  add_task(1, 0, 1, 1);
  const auto report = execute();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->device_time, Picoseconds(201));
  EXPECT_EQ(driver_.now_ps(run_), Picoseconds(201));
}

TEST_F(HostExecutorTest, CopiesAreInNoCountOfTheRunner) {
  svmrt::DeviceRunner runner(driver_, {});
  driver_.fail_next(CallKind::kCopyFromDevice, DriverCode::kBusy);
  add_task(1, 0, 1, 1);
  EXPECT_FALSE(execute());
  EXPECT_TRUE(execute());
  EXPECT_EQ(runner.failures().total(), 0u);
  EXPECT_EQ(runner.totals().established + runner.totals().refused, 0u);
  EXPECT_EQ(driver_.count(CallKind::kRegister), 0u);
}

TEST_F(HostExecutorTest, PredicateIsEvaluatedWhenItsTaskIsDue) {
  add_task(1, 0, 1, 3);
  add_task(1, 0, 2, 7, when(1, PredicateOp::EQ, 3));
  add_task(1, 0, 3, 9, when(1, PredicateOp::NE, 3));
  const auto report = execute();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tasks_run, 2u);
  EXPECT_EQ(value(2), 7u);
  EXPECT_EQ(value(3), 0u);
}

TEST_F(HostExecutorTest, CreatedBuffersAreZeroAndDummiesDoNothing) {
  put(0, 5);
  put(1, 6);
  svmrt::TaskRecord created;
  created.kind = TaskKind::kAlloc;
  const TaskTensor buffers[] = {at(1, TensorUse::kOutput)};
  graph_.add(created, buffers, {}, {});
  svmrt::TaskRecord dummy;
  const TaskTensor named[] = {at(0, TensorUse::kInout)};
  graph_.add(dummy, named, {}, {});
  const auto report = execute();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tasks_run, 2u);
  EXPECT_EQ(value(0), 5u);
  EXPECT_EQ(value(1), 0u);
}

TEST_F(HostExecutorTest, ErrorNamesItsTaskAndNothingTakesEffectAfterIt) {
  add_task(1, 0, 1, 1);
  const svmrt::TaskGraph::Mark mark = graph_.mark();
  const auto fails_with = [&](ErrorCode code, const std::string& message) {
    add_task(1, 0, 2, 1);
    const auto report = execute();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, code);
    EXPECT_EQ(report.error().message, message);
    EXPECT_EQ(value(1), 1u);
    EXPECT_EQ(value(2), 0u);
    EXPECT_EQ(value(3), 0u);
    graph_.go_back(mark);
  };
  add_task(7, 0, 3, 1);
  fails_with(ErrorCode::kInvalidArgument, "task 1: function 7 has no kernel to compute with");
  add_task(2, 0, 3, 1);
  fails_with(ErrorCode::kInvalidArgument, "task 1: function 2: tensor 0 has the wrong shape");
  add_task(1, 0, 3, 1, when(0, PredicateOp::EQ, 0, DataType::FP8E4M3FN));
  fails_with(ErrorCode::kInvalidArgument,
             "task 1: predicate operand of dtype FP8E4M3FN; allowed: integers, FLOAT32, FLOAT16, BFLOAT16");
}

TEST_F(HostExecutorTest, FailedDriverCallsNameTheTaskAndKeepTheirCode) {
  const auto fails = [&](CallKind kind, const std::string& text) {
    driver_.fail_next(kind, DriverCode::kIoctlFail);
    const auto report = execute();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kDriver);
    EXPECT_EQ(report.error().driver_code, DriverCode::kIoctlFail);
    EXPECT_EQ(report.error().message.find("task 0: " + text), 0u) << report.error().message;
    graph_.clear();
  };
  add_task(1, 0, 1, 1);
  fails(CallKind::kCopyFromDevice, "tensor 0: copy_from_device of 0x");
  add_task(1, 0, 1, 1);
  fails(CallKind::kCopyToDevice, "tensor 1: copy_to_device of 0x");
  add_task(1, 0, 1, 1, when(0, PredicateOp::EQ, 0));
  fails(CallKind::kCopyFromDevice, "predicate operand: copy_from_device of 0x");
  svmrt::TaskRecord created;
  created.kind = TaskKind::kAlloc;
  const TaskTensor buffers[] = {at(1, TensorUse::kOutput)};
  graph_.add(created, buffers, {}, {});
  fails(CallKind::kSet, "set_memory of 0x");
}

TEST_F(HostExecutorTest, WhatNeedsDataThatIsNotThereNamesItsTask) {
  const HasData first_word_has_none = [&](DeviceAddr base, Bytes) { return base != base_; };
  HostExecutor executor(driver_, svmrt::effect_of_kernels(kernel_of), first_word_has_none);
  add_task(1, 0, 1, 1);
  EXPECT_EQ(executor.execute(run_, graph_).error().message, "task 0: tensor 0 has no data for a kernel");
  graph_.clear();
  add_task(1, 2, 1, 1, when(0, PredicateOp::EQ, 0));
  const std::string message = executor.execute(run_, graph_).error().message;
  EXPECT_EQ(message, fmt::format("task 0: predicate operand of {:#x} (8 bytes) has no data", base_.value()));
  EXPECT_EQ(value(1), 0u);
}

// Graphs of two threads that add to one word: launches do not mix.
TEST_F(HostExecutorTest, LaunchesOfTwoThreadsComeOneAfterTheOther) {
  constexpr int kLaunches = 200;
  add_task(1, 0, 0, 1);
  add_task(1, 0, 0, 1);
  HostExecutor executor(driver_, svmrt::effect_of_kernels(kernel_of));
  const auto work = [&] {
    for (int i = 0; i < kLaunches; ++i) EXPECT_TRUE(executor.execute(run_, graph_));
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(value(0), 2u * 2u * kLaunches);
}

}  // namespace
}  // namespace svmsim
