// SPDX-License-Identifier: Apache-2.0
// A runner over a simulated machine and the request of a run whose orchestration reads one element of each of its
// child-memory tensors: what the benchmark of a bind and its instruction count share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run/bind.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"

namespace svmsim {

// Reads the first element of each tensor.
class ReadsEachTensor final : public svmrt::Callable {
 public:
  svmrt::Result<std::int32_t> expected_arg_count(const ChipTaskArgs& args) override { return args.tensor_count(); }
  svmrt::Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override {
    const std::uint32_t first = 0;
    for (std::int32_t i = 0; i < args.tensor_count(); ++i)
      ops.get_tensor_data(context, &args.tensor(i).ref(), 1, &first);
    return {};
  }
};

class BindRig {
 public:
  explicit BindRig(std::uint64_t tensors) {
    auto made = Machine::create(Platform{}, CostModel());
    if (!made) return;
    machine_ = std::move(*made);
    driver_.emplace(*machine_);
    runner_.emplace(*driver_, svmrt::RunnerConfig{});
    for (std::uint64_t i = 0; i < tensors; ++i) {
      arguments_.push_back(
          {"t" + std::to_string(i), {64}, DataType::FLOAT32, svmrt::Direction::kIn, svmrt::Residency::kChildMemory});
      blocks_.push_back(runner_->device_malloc(arguments_.back().size()).value_or(svmrt::DeviceAddr{}));
    }
    request_.tensors = arguments_;
    request_.child_memory = blocks_;
    request_.callable = &callable_;
  }

  // Opens a run, binds it and closes it again. Whether every tensor was read.
  [[nodiscard]] bool bind_once() {
    if (!runner_) return false;
    auto run = svmrt::BoundRun::open(*runner_, request_);
    return run && (*run)->bind() && (*run)->report().accesses == blocks_.size();
  }

 private:
  std::unique_ptr<Machine> machine_;
  std::optional<RuntimeDriver> driver_;
  std::optional<svmrt::DeviceRunner> runner_;
  std::vector<svmrt::TensorArgument> arguments_;
  std::vector<svmrt::DeviceAddr> blocks_;
  ReadsEachTensor callable_;
  svmrt::RunRequest request_;
};

}  // namespace svmsim
