// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_view_cache.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

namespace svmrt {

namespace {

// -1 is the runtime's own refusal in the HostApi table; every other value there is the driver's.
constexpr std::int32_t kRefusedByRunner = -1;

Picoseconds elapsed_since(const Driver& driver, TimelineId timeline, Picoseconds start) {
  return driver.now_ps(timeline) - start;
}

void count_map(MappingStats& stats, bool established, Picoseconds time) {
  ++(established ? stats.established : stats.refused);
  stats.map_time += time;
}

void count_unmap(MappingStats& stats, DriverCode code, Picoseconds time) {
  if (code == DriverCode::kNone) ++stats.dropped;
  stats.unmap_time += time;
}

bool in_transition(const Allocation& record) {
  return record.state == ViewState::kMapping || record.state == ViewState::kUnmapping;
}

// The driver may hold a mapping for it, whether it may be used or not.
bool needs_unmap(const Allocation& record) {
  return record.state == ViewState::kMapped || record.state == ViewState::kQuarantined;
}

bool is_reported(const Allocation& record) { return record.state == ViewState::kQuarantined || record.free_failed; }

std::string reason_of(const Allocation& record) {
  if (record.state != ViewState::kQuarantined) return "free failed: " + code_text(record.code);
  if (record.code == DriverCode::kNone) return "register gave no address: " + code_text(record.code);
  return "unregister failed: " + code_text(record.code);
}

}  // namespace

HostViewCache::HostViewCache(Driver& driver, Policy policy, Journal& journal)
    : driver_(driver),
      journal_(journal),
      may_map_(policy != Policy::kCopyOnly && driver.capabilities().host_map_path),
      drops_with_last_use_(policy == Policy::kRebuild || policy == Policy::kRegisterAll) {}

Result<void> HostViewCache::add(DeviceAddr base, Bytes size) {
  AllocationMap::Node node = AllocationMap::make(base, size);
  LockGuard lock(mutex_);
  if (gone()) {
    lock.unlock();
    return fail(ErrorCode::kDeviceLost, "the device was lost during the allocation");
  }
  node.mapped().id = AllocationId{++last_id_};
  const bool added = allocations_.insert(std::move(node));
  lock.unlock();
  if (added) return {};
  return fail(ErrorCode::kDriver, "the driver handed out memory that is in use: " + block_text(base, size));
}

void HostViewCache::wait(LockGuard& lock) {
  ++waiting_;
  changed_.wait(lock);
  --waiting_;
}

bool HostViewCache::map(LockGuard& lock, Allocation& record, RunViews& run) {
  const DeviceAddr base = record.base;
  const Bytes size = record.size;
  const AllocationId id = record.id;
  record.state = ViewState::kMapping;
  lock.unlock();

  const Picoseconds start = driver_.now_ps(run.timeline());
  const RegisterResult result = driver_.register_to_host(run.timeline(), base, size);
  const Picoseconds time = elapsed_since(driver_, run.timeline(), start);
  const bool mapped = result.code == DriverCode::kNone && result.host != nullptr;
  count_map(run.stats(), mapped, time);
  if (!mapped) {
    journal_.driver_failed(DriverCall::kRegister, result.code, base, size);
    run.note_failure(base, id);
  }

  lock.lock();
  count_map(totals_, mapped, time);
  Allocation* again = allocations_.find(base);
  if (again == nullptr) return false;
  if (mapped) {
    again->state = ViewState::kMapped;
    again->host = result.host;
  } else if (result.code == DriverCode::kNone) {
    // A success without an address: the driver may hold a mapping that nobody can use. It still has to be dropped
    // before the block is freed.
    again->state = ViewState::kQuarantined;
    again->code = DriverCode::kNone;
  } else {
    again->state = result.code == DriverCode::kNotSupport ? ViewState::kRefused : ViewState::kAbsent;
  }
  if (result.code == DriverCode::kNone) {
    ++held_.count;
    held_.bytes += size;
  }
  changed_.notify_all();
  return mapped;
}

DriverCode HostViewCache::unmap(LockGuard& lock, Allocation& record, Caller caller) {
  const DeviceAddr base = record.base;
  const Bytes size = record.size;
  record.state = ViewState::kUnmapping;
  record.host = nullptr;
  lock.unlock();

  const Picoseconds start = driver_.now_ps(caller.timeline);
  const DriverCode code = driver_.unregister_from_host(caller.timeline, base);
  const Picoseconds time = elapsed_since(driver_, caller.timeline, start);
  if (caller.stats != nullptr) count_unmap(*caller.stats, code, time);
  if (code == DriverCode::kNone) {
    journal_.log(LogLevel::kDebug, "host view dropped: " + block_text(base, size));
  } else {
    journal_.driver_failed(DriverCall::kUnregister, code, base, size);
  }

  lock.lock();
  count_unmap(totals_, code, time);
  Allocation* again = allocations_.find(base);
  if (again == nullptr) return code;
  if (code == DriverCode::kNone) {
    again->state = ViewState::kAbsent;
    --held_.count;
    held_.bytes -= size;
  } else {
    again->state = ViewState::kQuarantined;
    again->code = code;
  }
  changed_.notify_all();
  return code;
}

HostViewStatus HostViewCache::acquire(RunViews& run, DeviceAddr device, Bytes bytes, ViewUse use, void** view) {
  bool established = false;
  LockGuard lock(mutex_);
  for (;;) {
    if (gone()) return HostViewStatus::kUnavailable;
    Allocation* owner = allocations_.owner_of(device);
    const bool inside = owner != nullptr && bytes > Bytes(0) && span_inside(device, bytes, owner->base, owner->size);
    if (!inside || (use == ViewUse::kRegistered && device != owner->base)) {
      const Allocation snapshot = owner != nullptr ? *owner : Allocation{};
      lock.unlock();
      report_bad_span(device, bytes, owner != nullptr ? &snapshot : nullptr);
      return HostViewStatus::kBadSpan;
    }
    if (!may_map_) return HostViewStatus::kNoView;
    switch (owner->state) {
      case ViewState::kMapping:
      case ViewState::kUnmapping:
        wait(lock);
        continue;
      case ViewState::kRefused:
      case ViewState::kQuarantined:
        return HostViewStatus::kNoView;
      case ViewState::kAbsent:
        if (run.has_failed(owner->base, owner->id)) return HostViewStatus::kNoView;
        established = map(lock, *owner, run);
        continue;  // still locked since the record changed: a success is granted before anybody can drop it
      case ViewState::kMapped:
        break;
    }
    if (!run.holds(owner->base, owner->id)) ++owner->users;
    const Allocation granted = *owner;
    const HeldMappings held = held_;
    lock.unlock();

    *view = static_cast<std::byte*>(granted.host) + (device - granted.base).count();
    run.note_hold(granted.base, granted.id, use);
    if (established) {
      journal_.log(LogLevel::kInfo,
                   fmt::format("host view mapped: {}; held now: {} mappings, {} bytes",
                               block_text(granted.base, granted.size), held.count, held.bytes.count()));
    }
    return HostViewStatus::kMapped;
  }
}

void HostViewCache::report_bad_span(DeviceAddr device, Bytes bytes, const Allocation* owner) const {
  const std::string where = owner == nullptr ? "in no live allocation"
                                             : "not a span of the allocation " + block_text(owner->base, owner->size);
  journal_.log(LogLevel::kError, fmt::format("host view of {} refused: {}", block_text(device, bytes), where));
}

DriverCode HostViewCache::end_use(DeviceAddr base, Caller caller) {
  LockGuard lock(mutex_);
  if (gone()) return DriverCode::kNone;
  Allocation* record = allocations_.find(base);  // there, and mapped: a block in use is not freed
  --record->users;
  if (!drops_with_last_use_ || record->users > 0) return DriverCode::kNone;
  return unmap(lock, *record, caller);
}

std::int32_t HostViewCache::release_registered(RunViews& run, DeviceAddr base) {
  if (!run.has_registered(base)) return kRefusedByRunner;
  if (run.end_registered(base)) return 0;
  return code_number(end_use(base, Caller{run.timeline(), &run.stats()}));
}

void HostViewCache::release_all(RunViews& run) {
  for (const DeviceAddr base : run.take_all()) {
    // A failure is logged and counted where it happens, and leaves the record quarantined.
    static_cast<void>(end_use(base, Caller{run.timeline(), &run.stats()}));
  }
}

Result<AllocationMap::Node> HostViewCache::take(DeviceAddr base, Caller caller) {
  AllocationId id{};
  LockGuard lock(mutex_);
  for (;;) {
    if (gone()) {
      lock.unlock();
      return fail(ErrorCode::kDeviceLost, "the device is lost to this process");
    }
    Allocation* record = allocations_.find(base);
    // Another id after a wait: somebody freed the block and the address was handed out again.
    if (record == nullptr || (id != AllocationId{} && record->id != id)) {
      const Allocation* owner = record == nullptr ? allocations_.owner_of(base) : nullptr;
      const Allocation snapshot = owner != nullptr ? *owner : Allocation{};
      lock.unlock();
      if (owner == nullptr) {
        return fail(ErrorCode::kUnknownAddress, fmt::format("{:#x} lies in no live allocation", base.value()));
      }
      return fail(ErrorCode::kInteriorAddress, fmt::format("{:#x} is not the base of its allocation {}", base.value(),
                                                           block_text(snapshot.base, snapshot.size)));
    }
    id = record->id;
    if (in_transition(*record)) {
      wait(lock);
      continue;
    }
    const Bytes size = record->size;
    if (record->users > 0) {
      const std::uint32_t users = record->users;
      lock.unlock();
      return fail(ErrorCode::kInUse, fmt::format("{} open runs hold a view of {}", users, block_text(base, size)));
    }
    if (needs_unmap(*record)) {
      const DriverCode code = unmap(lock, *record, caller);
      if (gone()) continue;
      if (code != DriverCode::kNone) {
        lock.unlock();
        return fail(ErrorCode::kUnregisterFailed,
                    fmt::format("the unregister of {} failed with {}: the block is quarantined, not freed",
                                block_text(base, size), code_text(code)),
                    code);
      }
    }
    return allocations_.extract(base);
  }
}

void HostViewCache::put_back(AllocationMap::Node block, DriverCode code) {
  block.mapped().free_failed = true;
  block.mapped().code = code;
  LockGuard lock(mutex_);
  // The range was live until now and the driver did not free it, so it is still free of overlaps: a driver that hands
  // it out all the same is caught by add(), or here, where the newer entry stands.
  if (!gone()) static_cast<void>(allocations_.insert(std::move(block)));
}

std::uint64_t HostViewCache::drop_all(Caller caller) {
  std::uint64_t dropped = 0;
  DeviceAddr from;
  LockGuard lock(mutex_);
  while (Allocation* record = gone() ? nullptr : allocations_.first_at_or_after(from)) {
    from = record->base + record->size;
    if (needs_unmap(*record) && unmap(lock, *record, caller) == DriverCode::kNone) ++dropped;
  }
  return dropped;
}

AllocationMap::Node HostViewCache::take_next_unmapped(DeviceAddr from) {
  LockGuard lock(mutex_);
  Allocation* record = gone() ? nullptr : allocations_.first_at_or_after(from);
  while (record != nullptr && needs_unmap(*record)) {
    record = allocations_.first_at_or_after(record->base + record->size);
  }
  return record == nullptr ? AllocationMap::Node{} : allocations_.extract(record->base);
}

void HostViewCache::forget_all() {
  AllocationMap forgotten;
  LockGuard lock(mutex_);
  lost_ = true;
  allocations_.swap(forgotten);
  held_ = HeldMappings{};
  changed_.notify_all();
  lock.unlock();
}

HeldMappings HostViewCache::held() const {
  LockGuard lock(mutex_);
  return held_;
}

MappingStats HostViewCache::totals() const {
  LockGuard lock(mutex_);
  return totals_;
}

std::vector<QuarantinedBlock> HostViewCache::quarantined() const {
  std::vector<Allocation> found;
  // Copies under the lock only what fits; makes room without it.
  for (std::size_t needed = 0;;) {
    found.reserve(needed);
    LockGuard lock(mutex_);
    needed = allocations_.size();
    if (needed > found.capacity()) continue;
    const Allocation* record = allocations_.first_at_or_after(DeviceAddr{});
    for (; record != nullptr; record = allocations_.first_at_or_after(record->base + record->size)) {
      if (is_reported(*record)) found.push_back(*record);
    }
    break;
  }
  std::vector<QuarantinedBlock> blocks;
  blocks.reserve(found.size());
  for (const Allocation& record : found) {
    blocks.push_back({record.base, record.size, record.code, reason_of(record)});
  }
  return blocks;
}

std::uint64_t HostViewCache::live_allocations() const {
  LockGuard lock(mutex_);
  return allocations_.size();
}

std::uint64_t HostViewCache::waiting_threads() const {
  LockGuard lock(mutex_);
  return waiting_;
}

}  // namespace svmrt
