// SPDX-License-Identifier: Apache-2.0
// What one open run holds in the host-view cache and knows about it: which views, which registers failed, what it
// cost. Owned by the RunContext, filled by the HostViewCache. Thread-bound to its run, so no lock guards it.
#pragma once

#include <map>
#include <vector>

#include "runtime/allocation_map.h"
#include "runtime/hal.h"
#include "runtime/runner_reports.h"
#include "runtime/units.h"

namespace svmrt {

// Why a run holds a view. Both together count as one user of the record.
enum class ViewUse {
  kAcquired,    // through acquire_child_memory_host_view: held until the run closes its host views
  kRegistered,  // through register_device_memory_to_host: held until the paired unregister, or the close
};

class RunViews {
 public:
  explicit RunViews(TimelineId timeline) : timeline_(timeline) {}

  [[nodiscard]] TimelineId timeline() const { return timeline_; }
  [[nodiscard]] MappingStats& stats() { return stats_; }
  [[nodiscard]] const MappingStats& stats() const { return stats_; }

  // Whether this run holds the view of this allocation, for whatever reason. Makes no allocation.
  [[nodiscard]] bool holds(DeviceAddr base, AllocationId id) const;
  // Whether a register of this allocation failed in this run. Makes no allocation.
  [[nodiscard]] bool has_failed(DeviceAddr base, AllocationId id) const;
  // Whether this run registered the allocation at `base` by hand and has not unregistered it.
  [[nodiscard]] bool has_registered(DeviceAddr base) const;

  void note_hold(DeviceAddr base, AllocationId id, ViewUse use);
  void note_failure(DeviceAddr base, AllocationId id);
  // Ends the hold made by hand. True when the run still holds the view for the other reason.
  [[nodiscard]] bool end_registered(DeviceAddr base);

  // Forgets everything; returns the bases of what was held, in address order.
  [[nodiscard]] std::vector<DeviceAddr> take_all();

 private:
  struct Entry {
    AllocationId id{};
    bool acquired = false;
    bool registered = false;
    bool failed = false;
  };
  [[nodiscard]] const Entry* entry(DeviceAddr base, AllocationId id) const;
  Entry& entry_for(DeviceAddr base, AllocationId id);

  TimelineId timeline_;
  MappingStats stats_;
  // An entry of an allocation that was freed since can only be a failure note (a held one cannot be freed); the id
  // tells, and the next note at that address replaces it.
  std::map<DeviceAddr, Entry> entries_;
};

}  // namespace svmrt
