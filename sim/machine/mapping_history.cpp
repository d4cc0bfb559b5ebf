// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/mapping_history.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

namespace {
// Far longer than any change takes; a handler that interrupted a change of its own thread gives up after it.
constexpr int kMostTries = 100'000'000;
}  // namespace

class MappingHistory::Guard {
 public:
  explicit Guard(std::atomic_flag& busy) : busy_(busy) {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& busy_;
};

void MappingHistory::mapped(DeviceAddr base, Bytes size, HostAccess access) {
  const Guard guard(busy_);
  mappings_.assign(base, base + size, {std::nullopt, std::nullopt, true, access});
  changes_.push_back({base, base + size});
}

void MappingHistory::unmapped(DeviceAddr base, Bytes size) {
  const Guard guard(busy_);
  mappings_.update(base, base + size, [](AddressHistory::Mapping& mapping) { mapping.mapped = false; });
  changes_.push_back({base, base + size});
}

void MappingHistory::called(const CallRecord& record) {
  const Guard guard(busy_);
  const CallName call{record.sequence, record.kind};
  for (const Change& change : changes_) {
    mappings_.update(change.begin, change.end, [&](AddressHistory::Mapping& mapping) {
      std::optional<CallName>& name = mapping.mapped ? mapping.mapped_by : mapping.unmapped_by;
      if (!name) name = call;
    });
  }
  changes_.clear();
  if (record.code != svmrt::DriverCode::kNone) return;
  if (record.kind == CallKind::kAllocate && record.size != Bytes(0)) {
    owners_.assign(record.address, record.address + record.size,
                   {record.address, record.size, record.sequence, std::nullopt});
  }
  if (record.kind == CallKind::kClose) {
    owners_.update_all([&](AddressHistory::Owner& owner) {
      if (!owner.freed_by) owner.freed_by = call;
    });
  }
  if (record.kind == CallKind::kFree) {
    const AddressHistory::Owner* const owner = owners_.find(record.address);
    if (owner == nullptr) return;
    const DeviceAddr end = owner->base + owner->size;
    owners_.update(record.address, end, [&](AddressHistory::Owner& freed) { freed.freed_by = call; });
  }
}

std::optional<AddressHistory> MappingHistory::at(DeviceAddr address) const {
  for (int tries = 0; busy_.test_and_set(std::memory_order_acquire); ++tries) {
    if (tries == kMostTries) return std::nullopt;
  }
  AddressHistory history;
  if (const auto* const owner = owners_.find(address)) {
    history.owner = *owner;
  } else if (const auto* const below = owners_.find_before(address)) {
    history.below = *below;
  }
  if (const auto* const mapping = mappings_.find(address)) history.mapping = *mapping;
  busy_.clear(std::memory_order_release);
  return history;
}

}  // namespace svmsim
