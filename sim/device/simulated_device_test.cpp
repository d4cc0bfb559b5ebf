// SPDX-License-Identifier: Apache-2.0
#include "sim/device/simulated_device.h"

#include <gmock/gmock.h>

#include "sim/device/testing/device_fixture.h"

namespace svmsim {
namespace {

using svmrt::TaskGraph;
using svmrt::TaskKind;
using svmrt::TaskRecord;
using svmrt::TaskTensor;
using svmrt::TensorUse;
using testing::HasSubstr;

constexpr std::int32_t kAdd = 4;      // computes vector_add, takes 5 ns
constexpr std::int32_t kNothing = 5;  // computes nothing known

class SimulatedDeviceTest : public DeviceFixture {
 protected:
  static DeviceConfig config(KernelMode mode) {
    DeviceConfig config;
    config.mode = mode;
    config.kernels.by_function[kAdd] = {"add", Picoseconds(5'000), find_kernel("vector_add")};
    config.kernels.by_function[kNothing] = {"nothing", Picoseconds(7'000), nullptr};
    return config;
  }
  svmrt::Result<svmrt::ExecutionReport> execute(DeviceConfig config, const TaskGraph& graph) {
    SimulatedDevice device(*machine_, std::move(config));
    return device.execute(svmrt::kRunnerTimeline, graph);
  }
  static TaskRecord vector_task(std::int32_t function) {
    TaskRecord task;
    task.kind = TaskKind::kVector;
    task.kernels.aiv0_kernel_id = function;
    return task;
  }
  // out = a + b, four floats each.
  void add_sum(TaskGraph& graph, DeviceAddr a, DeviceAddr b, DeviceAddr out, std::int32_t function = kAdd) {
    const std::vector<TaskTensor> tensors = {{tensor(a, {4}, DataType::FLOAT32), TensorUse::kInput},
                                             {tensor(b, {4}, DataType::FLOAT32), TensorUse::kInput},
                                             {tensor(out, {4}, DataType::FLOAT32), TensorUse::kOutputExisting}};
    graph.add(vector_task(function), tensors, {}, {});
  }
  DeviceAddr floats(float first) {
    const DeviceAddr at = allocate(16);
    for (std::uint64_t i = 0; i < 4; ++i) put<float>(at + Bytes(4 * i), first + static_cast<float>(i));
    return at;
  }
  float value(DeviceAddr at) {
    float value = 0;
    std::memcpy(&value, machine_->device_bytes(at, Bytes(4)), 4);
    return value;
  }
};

TEST_F(SimulatedDeviceTest, RealKernelsComputeDigestsDeriveAndNoneWritesNothing) {
  const DeviceAddr out = floats(-1);
  TaskGraph graph;
  add_sum(graph, floats(1), floats(10), out);
  ASSERT_TRUE(execute(config(KernelMode::kNone), graph));
  EXPECT_EQ(value(out), -1.0F);
  ASSERT_TRUE(execute(config(KernelMode::kReal), graph));
  EXPECT_EQ(value(out), 11.0F);
  EXPECT_EQ(value(out + Bytes(12)), 17.0F);
  ASSERT_TRUE(execute(config(KernelMode::kDigest), graph));
  EXPECT_NE(value(out), 11.0F);
}

TEST_F(SimulatedDeviceTest, AllocTaskZeroesWhatItCreatesUnlessNothingIsToHappen) {
  const DeviceAddr at = floats(5);
  TaskGraph graph;
  TaskRecord alloc;
  alloc.kind = TaskKind::kAlloc;
  graph.add(alloc, std::vector<TaskTensor>{{tensor(at, {16}), TensorUse::kOutput}}, {}, {});
  ASSERT_TRUE(execute(config(KernelMode::kNone), graph));
  EXPECT_EQ(value(at), 5.0F);
  for (const KernelMode mode : {KernelMode::kDigest, KernelMode::kReal}) {
    put<float>(at, 5);
    ASSERT_TRUE(execute(config(mode), graph));
    EXPECT_EQ(bytes(at, 16), std::vector<std::byte>(16));
  }
}

TEST_F(SimulatedDeviceTest, TaskWhosePredicateDoesNotHoldIsNotRun) {
  const DeviceAddr flag = allocate(4);
  const DeviceAddr out = floats(-1);
  TaskGraph graph;
  svmrt::TaskPredicate predicate;
  predicate.tensor = tensor(flag, {1}, DataType::INT32);
  predicate.op = PredicateOp::EQ;
  predicate.target = 3;
  TaskRecord task = vector_task(kAdd);
  task.predicate = graph.add_predicate(predicate);
  const std::vector<TaskTensor> tensors = {{tensor(floats(1), {4}, DataType::FLOAT32), TensorUse::kInput},
                                           {tensor(floats(2), {4}, DataType::FLOAT32), TensorUse::kInput},
                                           {tensor(out, {4}, DataType::FLOAT32), TensorUse::kOutputExisting}};
  graph.add(task, tensors, {}, {});
  put<std::int32_t>(flag, 2);
  const auto retired = execute(config(KernelMode::kReal), graph);
  ASSERT_TRUE(retired);
  EXPECT_EQ(retired->tasks_run, 0u);
  EXPECT_EQ(retired->device_time, Picoseconds(50'000)) << "the launch alone";
  EXPECT_EQ(value(out), -1.0F);
  put<std::int32_t>(flag, 3);
  const auto ran = execute(config(KernelMode::kReal), graph);
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->tasks_run, 1u);
  EXPECT_EQ(ran->device_time, Picoseconds(55'000));
  EXPECT_EQ(value(out), 3.0F);
}

TEST_F(SimulatedDeviceTest, SpansAreToldWithTheEndOfTheLaunchOverheadAsTheirZero) {
  TaskGraph graph;
  add_sum(graph, floats(1), floats(2), floats(0));
  DeviceConfig with_spans = config(KernelMode::kDigest);
  std::vector<CoreSpan> spans;
  Picoseconds zero;
  with_spans.on_launched = [&](Picoseconds begin, std::span<const CoreSpan> told) {
    zero = begin;
    spans.assign(told.begin(), told.end());
  };
  const Picoseconds before = driver_.now_ps(svmrt::kRunnerTimeline);
  ASSERT_TRUE(execute(std::move(with_spans), graph));
  EXPECT_EQ(zero, before + Picoseconds(50'000));
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].function, kAdd);
  EXPECT_EQ(spans[0].end, Picoseconds(5'000));
}

TEST_F(SimulatedDeviceTest, RealKernelsNameWhatTheyCannotDo) {
  const DeviceAddr out = floats(-1);
  TaskGraph unknown;
  add_sum(unknown, floats(1), floats(2), out, kNothing);
  EXPECT_THAT(execute(config(KernelMode::kReal), unknown).error().message,
              HasSubstr("task 0: function 5 has no kernel to compute with"));
  TaskGraph elsewhere;
  add_sum(elsewhere, floats(1), DeviceAddr(0x1000), out);
  EXPECT_THAT(execute(config(KernelMode::kReal), elsewhere).error().message,
              HasSubstr("task 0: tensor 1: 16 bytes at 0x1000 are not device memory"));
  TaskGraph dataless;
  const DeviceAddr none = floats(1);
  machine_->declare_device_without_data(none, Bytes(16));
  add_sum(dataless, none, floats(2), out);
  add_sum(dataless, floats(1), floats(2), out);
  EXPECT_THAT(execute(config(KernelMode::kReal), dataless).error().message,
              HasSubstr("tensor 0 has no data for a kernel"));
  EXPECT_EQ(value(out), -1.0F) << "nothing after the first error takes effect";
}

}  // namespace
}  // namespace svmsim
