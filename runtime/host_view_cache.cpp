// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_view_cache.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

namespace svmrt {

namespace {

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

}  // namespace

HostViewCache::HostViewCache(Driver& driver, Policy policy, Journal& journal)
    : driver_(driver),
      journal_(journal),
      may_map_(policy != Policy::kCopyOnly && driver.capabilities().host_map_path),
      drops_with_last_use_(policy == Policy::kRebuild || policy == Policy::kRegisterAll),
      budget_(policy.kind() == Policy::Kind::kBudget ? std::optional(policy.limit()) : std::nullopt) {}

void HostViewCache::wait(LockGuard& lock) {
  ++waiting_;
  changed_.wait(lock);
  --waiting_;
}

HostViewCache::Room HostViewCache::make_room(LockGuard& lock, Bytes size, RunViews& run) {
  if (!budget_ || committed_ + size <= *budget_) return Room::kThere;
  Bytes idle;
  Bytes leaving;
  Allocation* oldest = nullptr;
  Allocation* record = allocations_.first_at_or_after(DeviceAddr{});
  for (; record != nullptr; record = allocations_.first_at_or_after(record->base + record->size)) {
    if (record->state == ViewState::kUnmapping) leaving += record->size;
    if (record->state != ViewState::kMapped || record->users > 0) continue;
    idle += record->size;
    if (oldest == nullptr || record->last_use < oldest->last_use) oldest = record;
  }
  // Nothing is dropped for an allocation that will not fit afterwards.
  if (oldest != nullptr && committed_ - idle + size <= *budget_) {
    static_cast<void>(unmap(lock, *oldest, Caller{run.timeline(), &run.stats()}));  // a failure quarantines it
    return Room::kLookAgain;
  }
  if (committed_ - idle - leaving + size > *budget_) return Room::kNone;
  wait(lock);
  return Room::kLookAgain;
}

bool HostViewCache::map(LockGuard& lock, Allocation& record, RunViews& run) {
  const DeviceAddr base = record.base;
  const Bytes size = record.size;
  const AllocationId id = record.id;
  record.state = ViewState::kMapping;
  committed_ += size;
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
  } else {
    committed_ -= size;
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
    journal_.log(LogLevel::kDebug, [&] { return "host view dropped: " + block_text(base, size); });
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
    committed_ -= size;
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
        switch (make_room(lock, owner->size, run)) {
          case Room::kThere:
            break;
          case Room::kLookAgain:
            continue;
          case Room::kNone:
            return HostViewStatus::kNoView;
        }
        established = map(lock, *owner, run);
        continue;  // still locked since the record changed: a success is granted before anybody can drop it
      case ViewState::kMapped:
        break;
    }
    if (!run.holds(owner->base, owner->id)) ++owner->users;
    owner->last_use = ++uses_;
    const Allocation granted = *owner;
    const HeldMappings held = held_;
    lock.unlock();

    *view = static_cast<std::byte*>(granted.host) + (device - granted.base).count();
    run.note_hold(granted.base, granted.id, use);
    if (established) {
      journal_.log(LogLevel::kInfo, [&] {
        return fmt::format("host view mapped: {}; held now: {} mappings, {} bytes",
                           block_text(granted.base, granted.size), held.count, held.bytes.count());
      });
    }
    return HostViewStatus::kMapped;
  }
}

void HostViewCache::report_bad_span(DeviceAddr device, Bytes bytes, const Allocation* owner) const {
  journal_.log(LogLevel::kError, [&] {
    const std::string where = owner == nullptr ? "in no live allocation"
                                               : "not a span of the allocation " + block_text(owner->base, owner->size);
    return fmt::format("host view of {} refused: {}", block_text(device, bytes), where);
  });
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

HeldMappings HostViewCache::held() const {
  LockGuard lock(mutex_);
  return held_;
}

MappingStats HostViewCache::totals() const {
  LockGuard lock(mutex_);
  return totals_;
}

std::uint64_t HostViewCache::waiting_threads() const {
  LockGuard lock(mutex_);
  return waiting_;
}

}  // namespace svmrt
