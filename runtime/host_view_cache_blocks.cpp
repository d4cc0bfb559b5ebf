// SPDX-License-Identifier: Apache-2.0
// Blocks enter and leave the books: from the driver's allocation to its free, or to the loss of the device.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "runtime/host_view_cache.h"

namespace svmrt {

namespace {

bool is_reported(const Allocation& record) { return record.state == ViewState::kQuarantined || record.free_failed; }

std::string reason_of(const Allocation& record) {
  if (record.state != ViewState::kQuarantined) return "free failed: " + code_text(record.code);
  if (record.code == DriverCode::kNone) return "register gave no address: " + code_text(record.code);
  return "unregister failed: " + code_text(record.code);
}

}  // namespace

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
  committed_ = Bytes(0);
  changed_.notify_all();
  lock.unlock();
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

}  // namespace svmrt
