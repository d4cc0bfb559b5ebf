// SPDX-License-Identifier: Apache-2.0
// The live allocations of a runner and the host mapping of each: at most one per allocation, over its whole
// requested length, keyed by the device address, shared by every span inside it at the span's own offset. The only
// code that registers or unregisters.
//
// Thread-safe. A record moves Absent -> Mapping -> Mapped -> Unmapping -> Absent; a refusal ends in Refused, a failed
// unregister in Quarantined. Whoever finds a record in Mapping or Unmapping waits. One lock guards the books; it is
// never held across a driver call, a log line, or an allocation or release of memory. Owned by the DeviceRunner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/allocation_map.h"
#include "runtime/hal.h"
#include "runtime/host_api.h"
#include "runtime/journal.h"
#include "runtime/owner_process.h"
#include "runtime/policy.h"
#include "runtime/result.h"
#include "runtime/run_views.h"
#include "runtime/runner_reports.h"
#include "runtime/sync.h"

namespace svmrt {

// On whose time a driver call is made, and who counts it.
struct Caller {
  TimelineId timeline = kRunnerTimeline;
  MappingStats* stats = nullptr;  // of the run that calls; null for the runner itself
};

class HostViewCache {
 public:
  // Both are borrowed for the cache's life.
  HostViewCache(Driver& driver, Policy policy, Journal& journal);
  HostViewCache(const HostViewCache&) = delete;
  HostViewCache& operator=(const HostViewCache&) = delete;

  // Enters a block that the driver allocated. kDriver when it overlaps a live one (the driver handed out memory that
  // is in use: nothing is entered, and freeing it would free the other); kDeviceLost.
  [[nodiscard]] Result<void> add(DeviceAddr base, Bytes size);

  // Drops the mapping of a block and takes the block out of the books, so that it can be freed. Waits for a transition
  // under way. kUnknownAddress, kInteriorAddress, kInUse, kDeviceLost: nothing happened. kUnregisterFailed: the block
  // is quarantined; a later call tries again.
  [[nodiscard]] Result<AllocationMap::Node> take(DeviceAddr base, Caller caller);
  // Returns a block whose free failed with `code`: it lives on, without a mapping. After device loss it is forgotten.
  void put_back(AllocationMap::Node block, DriverCode code);

  // *view is where [device, device + bytes) is mapped; the run holds the record until release or release_all. Maps
  // the whole allocation if need be. kBadSpan (empty, or not inside one live allocation; for kRegistered also when
  // `device` is not a base) comes before kNoView, so that no policy or platform hides it. kNoView: the policy or the
  // platform has no mappings, the driver refused for good, a register failed in this run, the record is quarantined,
  // or the budget has no room, even without every mapping that no open run uses. kUnavailable: device lost.
  [[nodiscard]] HostViewStatus acquire(RunViews& run, DeviceAddr device, Bytes bytes, ViewUse use, void** view);
  // Ends the run's kRegistered hold of the allocation at `base`. -1 when there is none, otherwise what the driver said
  // to the unregister, if the policy made one.
  [[nodiscard]] std::int32_t release_registered(RunViews& run, DeviceAddr base);
  // Ends every hold of the run. Under kRebuild and kRegisterAll the last hold of a record drops its mapping. A failed
  // unregister quarantines the record.
  void release_all(RunViews& run);

  // Drops every mapping, the quarantined ones too, in address order. Returns how many the driver confirmed.
  // Precondition: no run holds a view and no other call is under way.
  std::uint64_t drop_all(Caller caller);
  // Takes out the first block at or after `from` that is not quarantined; an empty node when there is none.
  [[nodiscard]] AllocationMap::Node take_next_unmapped(DeviceAddr from);

  // The device is lost: every record is forgotten, waiters wake with kUnavailable, calls under way end in nothing.
  void forget_all();

  [[nodiscard]] HeldMappings held() const;
  [[nodiscard]] MappingStats totals() const;
  [[nodiscard]] std::vector<QuarantinedBlock> quarantined() const;
  [[nodiscard]] std::uint64_t live_allocations() const;
  // Threads that wait for a record in transition right now.
  [[nodiscard]] std::uint64_t waiting_threads() const;

 private:
  // The functions that take the guard need the lock held and hold it again when they return; in between they release
  // it, so that a record must be looked up again: device loss may have forgotten it.
  void wait(LockGuard& lock);
  // Whether the budget leaves room for a mapping of `size`; drops idle ones, the least recently used first, if that
  // makes room.
  enum class Room { kThere, kLookAgain, kNone };
  [[nodiscard]] Room make_room(LockGuard& lock, Bytes size, RunViews& run);
  // True when the record is mapped now.
  [[nodiscard]] bool map(LockGuard& lock, Allocation& record, RunViews& run);
  DriverCode unmap(LockGuard& lock, Allocation& record, Caller caller);
  DriverCode end_use(DeviceAddr base, Caller caller);
  // Device lost, or this is a forked child of the process that owns the mappings.
  [[nodiscard]] bool gone() const { return lost_ || !owner_.is_this(); }
  void report_bad_span(DeviceAddr device, Bytes bytes, const Allocation* owner) const;

  Driver& driver_;
  Journal& journal_;
  const bool may_map_;
  const bool drops_with_last_use_;
  const std::optional<Bytes> budget_;  // of committed_
  const OwnerProcess owner_;

  mutable Mutex mutex_;
  CondVar changed_;            // some record left a transition
  AllocationMap allocations_;  // this and what follows is guarded by mutex_
  bool lost_ = false;
  std::uint64_t last_id_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t uses_ = 0;
  HeldMappings held_;
  Bytes committed_;  // held_.bytes and those of records in Mapping
  MappingStats totals_;
};

}  // namespace svmrt
