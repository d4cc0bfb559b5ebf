// SPDX-License-Identifier: Apache-2.0
// The live device allocations of one runner by base address, each with the record of its host view. Finds the
// owner of an interior pointer in O(log n). Never allocates except in make(): entries come and go as nodes, so that
// the memory of a node is got and returned outside the lock. Thread-compatible: owned and locked by the
// HostViewCache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "runtime/driver_code.h"
#include "runtime/units.h"

namespace svmrt {

enum class ViewState : std::uint8_t {
  kAbsent,       // no mapping; the next acquire makes one
  kMapping,      // one thread is in the register call; the others wait
  kMapped,       // `host` is valid
  kUnmapping,    // one thread is in the unregister call; the others wait
  kRefused,      // the driver said kNotSupport: never asked again for this allocation
  kQuarantined,  // a mapping may exist that nobody may use; only a free or finalize tries to drop it
};

// Tells an allocation from a later one at the same address. Counts from 1.
enum class AllocationId : std::uint64_t {};

struct Allocation {
  DeviceAddr base;
  Bytes size;  // as requested
  AllocationId id{};
  ViewState state = ViewState::kAbsent;
  void* host = nullptr;     // kMapped only
  std::uint32_t users = 0;  // open runs that hold the view, each counted once; above 0 only when kMapped
  bool free_failed = false;
  DriverCode code = DriverCode::kNone;  // of the last failed unregister or free
  std::uint64_t last_use = 0;           // grows with each view that is granted; 0: none yet
};

[[nodiscard]] inline bool in_transition(const Allocation& record) {
  return record.state == ViewState::kMapping || record.state == ViewState::kUnmapping;
}
// The driver may hold a mapping for it, whether it may be used or not.
[[nodiscard]] inline bool needs_unmap(const Allocation& record) {
  return record.state == ViewState::kMapped || record.state == ViewState::kQuarantined;
}

class AllocationMap {
 public:
  using Node = std::map<DeviceAddr, Allocation>::node_type;

  // A node for insert(). Allocates.
  [[nodiscard]] static Node make(DeviceAddr base, Bytes size);

  // Takes the node. False, and the node stays with the caller, when its range is empty, overlaps a live allocation
  // or does not end below 2^64.
  [[nodiscard]] bool insert(Node&& node);
  // Precondition: find(base) is not null. The caller destroys the node outside the lock.
  [[nodiscard]] Node extract(DeviceAddr base);

  // Null when there is none. Pointers stay valid until the allocation is extracted.
  [[nodiscard]] Allocation* find(DeviceAddr base);
  [[nodiscard]] Allocation* owner_of(DeviceAddr address);
  [[nodiscard]] Allocation* first_at_or_after(DeviceAddr base);
  [[nodiscard]] const Allocation* first_at_or_after(DeviceAddr base) const;

  [[nodiscard]] std::size_t size() const { return by_base_.size(); }
  void swap(AllocationMap& other) { by_base_.swap(other.by_base_); }

 private:
  std::map<DeviceAddr, Allocation> by_base_;
};

}  // namespace svmrt
