// SPDX-License-Identifier: Apache-2.0
// What the tests of sessions and bound runs share: a runner over a FakeDriver, a callable made of a lambda, a device
// of one operation. Thread-bound.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/run/session.h"
#include "runtime/testing/fake_driver.h"

namespace svmrt::testing {

// The orchestration of a test: a lambda over the table that a shared object would be bound to. Each entry point can be
// told to fail; invoke does so after the lambda ran.
class LambdaCallable final : public Callable {
 public:
  using Body = std::function<void(const ChipTaskArgs&, const Pto2Ops&, void*)>;
  LambdaCallable(std::int32_t expected, Body body) : expected_(expected), body_(std::move(body)) {}
  Result<std::int32_t> expected_arg_count(const ChipTaskArgs&) override {
    if (expected_error) return tl::unexpected(*expected_error);
    return expected_;
  }
  Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override {
    ++invocations;
    body_(args, ops, context);
    if (invoke_error) return tl::unexpected(*invoke_error);
    return {};
  }
  int invocations = 0;
  std::optional<Error> expected_error;
  std::optional<Error> invoke_error;

 private:
  std::int32_t expected_;
  Body body_;
};

// A device that adds 1 to every byte of each task's written tensors, and then fails if it is told to.
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
    if (error) return tl::unexpected(*error);
    return ExecutionReport{Picoseconds(777), graph.tasks().size()};
  }
  int launches = 0;
  std::optional<Error> error;

 private:
  FakeDriver& driver_;
};

inline constexpr std::uint32_t kElements = 16;  // of one byte each, in a tensor of SessionFixture

// Element `index` of a tensor of one dimension, through the table.
inline std::uint64_t get(const Pto2Ops& ops, void* context, const ChipTensor& tensor, std::uint32_t index) {
  return ops.get_tensor_data(context, &tensor, 1, &index);
}

// One task of function 0 that writes tensor argument `index`.
inline void submit_writer(const Pto2Ops& ops, void* context, const ChipTaskArgs& args, std::int32_t index) {
  MixedKernels kernels;
  kernels.aic_kernel_id = 0;
  CoreTaskArgs task;
  ChipTensor tensor = args.tensor(index).ref();
  task.add_output(tensor);
  (void)ops.submit(context, "rt_submit_aic_task", &kernels, &task);
}

class SessionFixture : public ::testing::Test {
 protected:
  void start(Policy policy = Policy::kCached) {
    RunnerConfig config;
    config.policy = policy;
    runner_.emplace(driver_, config);
  }

  // A tensor over a host buffer of its own. Every byte of the n-th buffer (from 1) is n.
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

  // The addresses of all calls of a kind so far, in their order.
  std::vector<DeviceAddr> addresses(CallKind kind) const {
    std::vector<DeviceAddr> result;
    for (const auto& call : driver_.calls()) {
      if (call.kind == kind) result.push_back(call.address);
    }
    return result;
  }

  FakeDriver driver_;
  AddingExecutor executor_{driver_};
  std::optional<DeviceRunner> runner_;
  std::list<std::vector<std::uint8_t>> buffers_;
};

}  // namespace svmrt::testing
