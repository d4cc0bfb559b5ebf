// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/session.h"

#include <fmt/format.h>

#include <algorithm>

namespace svmrt {

Session::Session(DeviceRunner& runner, Executor& executor, Callable& callable, SessionConfig config)
    : runner_(runner), executor_(executor), callable_(callable), config_(std::move(config)) {
  child_memory_.resize(config_.tensors.size());
}

Session::~Session() { (void)tear_down(); }  // the runner logs and counts what fails

Result<void> Session::set_up() {
  Result<void> result;
  {
    const auto context = runner_.open_run();
    if (!context) return tl::unexpected(context.error());
    for (std::size_t i = 0; result && i < config_.tensors.size(); ++i) {
      if (config_.tensors[i].residency == Residency::kChildMemory) result = place(i, **context);
    }
  }
  if (result && config_.heap_size != Bytes(0)) {
    auto heap = runner_.device_malloc(config_.heap_size);
    if (heap) {
      config_.orchestrator.heap_base = *heap;
      config_.orchestrator.heap_size = config_.heap_size;
      owned_.push_back(*heap);
    } else {
      Error error = heap.error();
      error.message =
          fmt::format("cannot allocate the runtime heap of {} bytes: {}", config_.heap_size.count(), error.message);
      result = tl::unexpected(error);
    }
  }
  if (!result) (void)tear_down();
  return result;
}

Result<void> Session::place(std::size_t index, RunContext& context) {
  const TensorArgument& argument = config_.tensors[index];
  const auto address = runner_.device_malloc(argument.size());
  if (!address) {
    Error error = address.error();
    error.message = fmt::format("cannot allocate child-memory tensor '{}' of {} bytes: {}", argument.name,
                                argument.size().count(), error.message);
    return tl::unexpected(error);
  }
  child_memory_[index] = *address;
  owned_.push_back(*address);
  if (argument.direction == Direction::kOut) return {};
  const HostApi& api = context.api();
  const Picoseconds begin = context.driver().now_ps(context.timeline());
  const auto code = static_cast<DriverCode>(
      api.copy_to_device(api.context, address->value(), argument.host, argument.size().count()));
  upload_time_ += context.driver().now_ps(context.timeline()) - begin;
  if (code == DriverCode::kNone) return {};
  Error error = context.last_failure();
  error.message = fmt::format("cannot upload {} bytes of child-memory tensor '{}': {}", argument.size().count(),
                              argument.name, error.message);
  return tl::unexpected(error);
}

RoundOutcome Session::run_round() {
  RunRequest request;
  request.tensors = config_.tensors;
  request.child_memory = child_memory_;
  request.scalars = config_.scalars;
  request.orchestrator = config_.orchestrator;
  request.callable = &callable_;
  RoundOutcome outcome;
  auto opened = BoundRun::open(runner_, request);
  if (!opened) {
    outcome.error = opened.error();
    return outcome;
  }
  BoundRun& run = **opened;
  if (config_.before_bind) config_.before_bind(run);
  auto result = run.bind();
  if (config_.after_bind) config_.after_bind(run);
  if (result) result = run.execute(executor_);
  if (result) result = run.finish();
  outcome.report = run.report();
  if (!result) outcome.error = result.error();
  return outcome;
}

Result<void> Session::tear_down() {
  Result<void> result;
  for (; !owned_.empty(); owned_.pop_back()) {
    auto freed = runner_.free_tensor(owned_.back());
    if (!freed && result) result = freed;
  }
  std::fill(child_memory_.begin(), child_memory_.end(), DeviceAddr());
  config_.orchestrator.heap_base = DeviceAddr();
  return result;
}

}  // namespace svmrt
