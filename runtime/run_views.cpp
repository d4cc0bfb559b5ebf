// SPDX-License-Identifier: Apache-2.0
#include "runtime/run_views.h"

#include <utility>

namespace svmrt {

const RunViews::Entry* RunViews::entry(DeviceAddr base, AllocationId id) const {
  const auto found = entries_.find(base);
  return found != entries_.end() && found->second.id == id ? &found->second : nullptr;
}

RunViews::Entry& RunViews::entry_for(DeviceAddr base, AllocationId id) {
  Entry& slot = entries_[base];
  if (slot.id != id) slot = Entry{.id = id};
  return slot;
}

bool RunViews::holds(DeviceAddr base, AllocationId id) const {
  const Entry* known = entry(base, id);
  return known != nullptr && (known->acquired || known->registered);
}

bool RunViews::has_failed(DeviceAddr base, AllocationId id) const {
  const Entry* known = entry(base, id);
  return known != nullptr && known->failed;
}

bool RunViews::has_registered(DeviceAddr base) const {
  const auto found = entries_.find(base);
  return found != entries_.end() && found->second.registered;
}

void RunViews::note_hold(DeviceAddr base, AllocationId id, ViewUse use) {
  Entry& slot = entry_for(base, id);
  (use == ViewUse::kAcquired ? slot.acquired : slot.registered) = true;
}

void RunViews::note_failure(DeviceAddr base, AllocationId id) { entry_for(base, id).failed = true; }

bool RunViews::end_registered(DeviceAddr base) {
  const auto found = entries_.find(base);
  if (found == entries_.end()) return false;
  found->second.registered = false;
  return found->second.acquired;
}

std::vector<DeviceAddr> RunViews::take_all() {
  std::vector<DeviceAddr> held;
  for (const auto& [base, known] : entries_) {
    if (known.acquired || known.registered) held.push_back(base);
  }
  entries_.clear();
  return held;
}

}  // namespace svmrt
