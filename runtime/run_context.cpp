// SPDX-License-Identifier: Apache-2.0
#include "runtime/run_context.h"

#include <fmt/format.h>

#include "runtime/device_runner.h"

namespace svmrt {

namespace {

RunContext& run_of(void* context) { return *static_cast<RunContext*>(context); }

}  // namespace

RunContext::RunContext(DeviceRunner& runner, TimelineId timeline, RunNumber number)
    : runner_(runner), views_(timeline), number_(number) {
  api_.context = this;
  api_.device_malloc = &device_malloc;
  api_.device_free = &device_free;
  api_.copy_to_device = &copy_to_device;
  api_.copy_from_device = &copy_from_device;
  api_.device_memset = &device_memset;
  api_.register_device_memory_to_host = &register_to_host;
  api_.unregister_device_memory_from_host = &unregister_from_host;
  api_.acquire_child_memory_host_view = &acquire_view;
  api_.other_producer = &other_producer;
  api_.declarations = &runner.produced_.changes();
  api_.charge_view_accesses = &charge_view_accesses;
  api_.now_ps = &now_ps;
}

RunContext::~RunContext() {
  withdraw_produced();
  close_host_views();
  runner_.close_run(timeline());
}

Driver& RunContext::driver() const { return runner_.driver(); }

void RunContext::declare_produced(std::vector<ProducedRanges::Range> ranges) {
  runner_.produced_.declare(number_, std::move(ranges));
}

// In a forked child, for which the device is lost, the lock may be held by a thread that is not there.
void RunContext::withdraw_produced() {
  if (runner_.lifecycle_.device_lost()) return;
  runner_.produced_.withdraw(number_);
}

void RunContext::close_host_views() {
  views_closed_ = true;
  runner_.cache_.release_all(views_);
}

bool RunContext::may_copy() {
  if (!runner_.lifecycle_.device_lost()) return true;
  last_failure_ = Error{ErrorCode::kDeviceLost, "the device is lost to this process", DriverCode::kNone, 0};
  return false;
}

std::int32_t RunContext::copy_done(DriverCall call, DriverCode code, DeviceAddr address, Bytes bytes) {
  if (code != DriverCode::kNone) {
    runner_.journal_.driver_failed(call, code, address, bytes);
    last_failure_ =
        Error{ErrorCode::kDriver, fmt::format("driver call {} failed with {}", driver_call_name(call), code_text(code)),
              code, 0};
  }
  return code_number(code);
}

std::uint64_t RunContext::device_malloc(void* context, std::uint64_t bytes) {
  RunContext& run = run_of(context);
  const Result<DeviceAddr> allocated = run.runner_.allocate(Bytes(bytes), run.timeline());
  if (!allocated) run.last_failure_ = allocated.error();
  return allocated.value_or(DeviceAddr{}).value();
}

std::int32_t RunContext::device_free(void* context, std::uint64_t device) {
  RunContext& run = run_of(context);
  const Result<void> freed = run.runner_.free_block(DeviceAddr(device), Caller{run.timeline(), &run.views_.stats()});
  if (freed) return 0;
  run.last_failure_ = freed.error();
  const DriverCode code = freed.error().driver_code;
  return code == DriverCode::kNone ? kRefusedByRunner : code_number(code);
}

std::int32_t RunContext::copy_to_device(void* context, std::uint64_t device, const void* host, std::uint64_t bytes) {
  RunContext& run = run_of(context);
  if (!run.may_copy()) return kRefusedByRunner;
  if (bytes == 0) return 0;
  const DeviceAddr to(device);
  const DriverCode code = run.driver().copy_to_device(run.timeline(), to, host, Bytes(bytes));
  return run.copy_done(DriverCall::kCopyToDevice, code, to, Bytes(bytes));
}

std::int32_t RunContext::copy_from_device(void* context, void* host, std::uint64_t device, std::uint64_t bytes) {
  RunContext& run = run_of(context);
  if (!run.may_copy()) return kRefusedByRunner;
  if (bytes == 0) return 0;
  const DeviceAddr from(device);
  const DriverCode code = run.driver().copy_from_device(run.timeline(), host, from, Bytes(bytes));
  return run.copy_done(DriverCall::kCopyFromDevice, code, from, Bytes(bytes));
}

std::int32_t RunContext::device_memset(void* context, std::uint64_t device, std::int32_t value, std::uint64_t bytes) {
  RunContext& run = run_of(context);
  if (!run.may_copy()) return kRefusedByRunner;
  if (bytes == 0) return 0;
  const DeviceAddr to(device);
  const auto byte = static_cast<std::uint8_t>(value & 0xff);  // as memset does
  const DriverCode code = run.driver().set_memory(run.timeline(), to, byte, Bytes(bytes));
  return run.copy_done(DriverCall::kSetMemory, code, to, Bytes(bytes));
}

// A second register of one base in one run would need a count of its own: it is refused, as the driver does.
void* RunContext::register_to_host(void* context, std::uint64_t device, std::uint64_t bytes) {
  RunContext& run = run_of(context);
  const DeviceAddr base(device);
  if (run.views_closed_ || run.views_.has_registered(base)) return nullptr;
  void* view = nullptr;
  const HostViewStatus status = run.runner_.cache_.acquire(run.views_, base, Bytes(bytes), ViewUse::kRegistered, &view);
  return status == HostViewStatus::kMapped ? view : nullptr;
}

std::int32_t RunContext::unregister_from_host(void* context, std::uint64_t device) {
  RunContext& run = run_of(context);
  return run.runner_.cache_.release_registered(run.views_, DeviceAddr(device));
}

HostViewStatus RunContext::acquire_view(void* context, std::uint64_t device, std::uint64_t bytes, void** view) {
  RunContext& run = run_of(context);
  if (run.views_closed_) return HostViewStatus::kUnavailable;
  return run.runner_.cache_.acquire(run.views_, DeviceAddr(device), Bytes(bytes), ViewUse::kAcquired, view);
}

std::uint64_t RunContext::other_producer(void* context, std::uint64_t device, std::uint64_t bytes) {
  const RunContext& run = run_of(context);
  // A lost device produces nothing.
  if (run.runner_.lifecycle_.device_lost()) return 0;
  return run.runner_.produced_.other_producer(run.number_, DeviceAddr(device), Bytes(bytes));
}

void RunContext::charge_view_accesses(void* context, std::uint64_t loads, std::uint64_t stores) {
  RunContext& run = run_of(context);
  run.driver().charge_view_accesses(run.timeline(), loads, stores);
}

std::uint64_t RunContext::now_ps(void* context) {
  RunContext& run = run_of(context);
  return run.driver().now_ps(run.timeline()).count();
}

}  // namespace svmrt
