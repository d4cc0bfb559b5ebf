// SPDX-License-Identifier: Apache-2.0
// Owns the device memory that a host program allocates and the host-view cache over it: at most one mapping per
// allocation, over the requested length of the whole allocation, shared by all tensors and views inside it. The
// only place that registers or unregisters. Frees always drop the mapping first.
//
// Thread-safe: several runs may bind at the same time; two that want one allocation make one driver call and the
// second waits. No driver call and no memory allocation happens with the lock held. In a forked child the runner acts
// as after device_lost(): memory and mappings belong to the parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/hal.h"
#include "runtime/host_view_cache.h"
#include "runtime/journal.h"
#include "runtime/lifecycle.h"
#include "runtime/policy.h"
#include "runtime/produced_ranges.h"
#include "runtime/result.h"
#include "runtime/run_context.h"
#include "runtime/runner_reports.h"
#include "runtime/units.h"

namespace svmrt {

struct RunnerConfig {
  Policy policy = Policy::kCached;
  LogSink log;  // may be empty; called without the lock, by whichever thread has something to say
};

class DeviceRunner {
 public:
  // `driver` is borrowed for the runner's life.
  DeviceRunner(Driver& driver, RunnerConfig config);
  DeviceRunner(const DeviceRunner&) = delete;
  DeviceRunner& operator=(const DeviceRunner&) = delete;
  ~DeviceRunner();  // finalizes if nobody did; open runs are a caller's bug and abort

  [[nodiscard]] Driver& driver() const { return driver_; }
  [[nodiscard]] Policy policy() const { return policy_; }

  // Device memory owned by the runner until free_tensor or finalize. Size 0 is kInvalidArgument. kDriver: the driver
  // failed, or handed out memory that is in use.
  [[nodiscard]] Result<DeviceAddr> device_malloc(Bytes size);
  // Unregisters first and frees only when the unregister was confirmed. kUnknownAddress, kInteriorAddress: nothing
  // happened. kInUse: an open run holds a view. kUnregisterFailed: the block is quarantined: neither freed nor
  // handed out again; a later call tries again. kDriver: the driver refused the free; the block lives on.
  [[nodiscard]] Result<void> free_tensor(DeviceAddr base);

  [[nodiscard]] Result<std::unique_ptr<RunContext>> open_run();

  // Drops every mapping before the first free (one more try for each quarantined one), then frees every block that is
  // not quarantined. kInUse (and nothing done) while runs are open. Afterwards every call fails with kFinalized; a
  // second finalize tries the quarantined blocks again and reports what is left. kDeviceLost after device loss.
  [[nodiscard]] Result<FinalizeReport> finalize();

  // The device is gone: every record and mapping is forgotten without a driver call; later calls fail with
  // kDeviceLost. Open runs see kUnavailable, but for regions that they resolved to a view before: nothing asks the
  // runner then, and the pages behind the view are gone. A program that declares the loss touches no such region again.
  void device_lost();

  [[nodiscard]] HeldMappings held() const;
  [[nodiscard]] MappingStats totals() const;
  [[nodiscard]] DriverFailures failures() const;
  // In address order. Blocks whose last free failed are listed too, though they may be used.
  [[nodiscard]] std::vector<QuarantinedBlock> quarantined() const;
  [[nodiscard]] std::uint64_t live_allocations() const;
  // Threads that wait right now for another one's register or unregister.
  [[nodiscard]] std::uint64_t waiting_threads() const;

 private:
  friend class RunContext;
  // What device_malloc and free_tensor do, on the time of whoever asks.
  [[nodiscard]] Result<DeviceAddr> allocate(Bytes size, TimelineId timeline);
  [[nodiscard]] Result<void> free_block(DeviceAddr base, Caller caller);
  void close_run(TimelineId timeline);

  Driver& driver_;
  const Policy policy_;
  Journal journal_;
  Lifecycle lifecycle_;
  HostViewCache cache_;
  ProducedRanges produced_;
  std::atomic<RunNumber> runs_opened_{0};
};

}  // namespace svmrt
