// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_runner.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace svmrt {

namespace {

// Ends a call that Lifecycle::enter_call let in.
class CallScope {
 public:
  explicit CallScope(Lifecycle& lifecycle) : lifecycle_(lifecycle) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { lifecycle_.leave_call(); }

 private:
  Lifecycle& lifecycle_;
};

// What a message says of memory that is missing because the driver would not take it back; empty when none is.
std::string quarantine_text(const std::vector<QuarantinedBlock>& blocks) {
  if (blocks.empty()) return {};
  Bytes bytes;
  for (const QuarantinedBlock& block : blocks) bytes += block.size;
  return fmt::format("; {} quarantined blocks hold {} bytes, the first one because {}", blocks.size(), bytes.count(),
                     blocks.front().reason);
}

}  // namespace

DeviceRunner::DeviceRunner(Driver& driver, RunnerConfig config)
    : driver_(driver),
      policy_(config.policy),
      journal_(std::move(config.log)),
      cache_(driver, config.policy, journal_) {}

DeviceRunner::~DeviceRunner() {
  if (lifecycle_.open_runs() > 0) {
    std::fputs("svmrt: a DeviceRunner was destroyed while runs were open\n", stderr);
    std::abort();
  }
  // What finalize cannot drop or free was logged when it failed; nobody is left to take the report.
  if (!lifecycle_.finalized()) static_cast<void>(finalize());
}

Result<DeviceAddr> DeviceRunner::device_malloc(Bytes size) { return allocate(size, kRunnerTimeline); }

Result<void> DeviceRunner::free_tensor(DeviceAddr base) { return free_block(base, Caller{}); }

Result<DeviceAddr> DeviceRunner::allocate(Bytes size, TimelineId timeline) {
  if (size == Bytes(0)) return fail(ErrorCode::kInvalidArgument, "device_malloc: the size must be above 0");
  if (Result<void> entered = lifecycle_.enter_call(); !entered) return tl::unexpected(std::move(entered.error()));
  const CallScope call(lifecycle_);

  const AllocateResult result = driver_.allocate(timeline, size);
  if (result.code != DriverCode::kNone || result.address.is_null()) {
    journal_.driver_failed(DriverCall::kAllocate, result.code, DeviceAddr{}, size);
    std::string message = "device_malloc: the driver failed with " + code_text(result.code);
    if (result.code == DriverCode::kOutOfMemory) message += quarantine_text(cache_.quarantined());
    return fail(ErrorCode::kDriver, std::move(message), result.code);
  }
  Result<void> added = cache_.add(result.address, size);
  if (!added) {
    journal_.log(LogLevel::kError, [&] { return added.error().message; });
    return tl::unexpected(std::move(added.error()));
  }
  return result.address;
}

// The block leaves the books before the driver frees it, because from that call on the driver may hand its address to
// another thread.
Result<void> DeviceRunner::free_block(DeviceAddr base, Caller caller) {
  if (Result<void> entered = lifecycle_.enter_call(); !entered) return entered;
  const CallScope call(lifecycle_);

  Result<AllocationMap::Node> block = cache_.take(base, caller);
  if (!block) return tl::unexpected(std::move(block.error()));
  const Bytes size = block->mapped().size;
  const DriverCode code = driver_.free(caller.timeline, base);
  if (code == DriverCode::kNone) return {};
  journal_.driver_failed(DriverCall::kFree, code, base, size);
  cache_.put_back(std::move(*block), code);
  return fail(ErrorCode::kDriver,
              "free_tensor: the free of " + block_text(base, size) + " failed with " + code_text(code), code);
}

Result<std::unique_ptr<RunContext>> DeviceRunner::open_run() {
  if (Result<void> entered = lifecycle_.enter_run(); !entered) return tl::unexpected(std::move(entered.error()));
  return std::unique_ptr<RunContext>(new RunContext(*this, driver_.open_timeline(), ++runs_opened_));
}

void DeviceRunner::close_run(TimelineId timeline) {
  driver_.close_timeline(timeline);
  lifecycle_.leave_run();
}

Result<FinalizeReport> DeviceRunner::finalize() {
  if (Result<void> begun = lifecycle_.begin_finalize(); !begun) return tl::unexpected(std::move(begun.error()));
  FinalizeReport report;
  report.unmapped = cache_.drop_all(Caller{});
  DeviceAddr from;
  for (;;) {
    AllocationMap::Node block = cache_.take_next_unmapped(from);
    if (block.empty()) break;
    const DeviceAddr base = block.mapped().base;
    const Bytes size = block.mapped().size;
    from = base + size;
    const DriverCode code = driver_.free(kRunnerTimeline, base);
    if (code == DriverCode::kNone) {
      ++report.freed;
      continue;
    }
    journal_.driver_failed(DriverCall::kFree, code, base, size);
    cache_.put_back(std::move(block), code);
  }
  report.quarantined = cache_.quarantined();
  lifecycle_.end_finalize();
  return report;
}

void DeviceRunner::device_lost() {
  lifecycle_.lose_device();
  cache_.forget_all();
}

HeldMappings DeviceRunner::held() const { return cache_.held(); }
MappingStats DeviceRunner::totals() const { return cache_.totals(); }
DriverFailures DeviceRunner::failures() const { return journal_.failures(); }
std::vector<QuarantinedBlock> DeviceRunner::quarantined() const { return cache_.quarantined(); }
std::uint64_t DeviceRunner::live_allocations() const { return cache_.live_allocations(); }
std::uint64_t DeviceRunner::waiting_threads() const { return cache_.waiting_threads(); }

}  // namespace svmrt
