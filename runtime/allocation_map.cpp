// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocation_map.h"

#include <limits>
#include <utility>

namespace svmrt {

AllocationMap::Node AllocationMap::make(DeviceAddr base, Bytes size) {
  std::map<DeviceAddr, Allocation> single;
  Allocation allocation;
  allocation.base = base;
  allocation.size = size;
  single.emplace(base, allocation);
  return single.extract(single.begin());
}

bool AllocationMap::insert(Node&& node) {
  const DeviceAddr base = node.mapped().base;
  const Bytes size = node.mapped().size;
  if (size == Bytes(0)) return false;
  if (size.count() > std::numeric_limits<std::uint64_t>::max() - base.value()) return false;
  if (owner_of(base) != nullptr) return false;
  const Allocation* next = first_at_or_after(base);
  if (next != nullptr && next->base - base < size) return false;
  by_base_.insert(std::move(node));
  return true;
}

AllocationMap::Node AllocationMap::extract(DeviceAddr base) { return by_base_.extract(base); }

Allocation* AllocationMap::find(DeviceAddr base) {
  const auto found = by_base_.find(base);
  return found == by_base_.end() ? nullptr : &found->second;
}

Allocation* AllocationMap::owner_of(DeviceAddr address) {
  auto above = by_base_.upper_bound(address);
  if (above == by_base_.begin()) return nullptr;
  Allocation& candidate = std::prev(above)->second;
  return address - candidate.base < candidate.size ? &candidate : nullptr;
}

Allocation* AllocationMap::first_at_or_after(DeviceAddr base) {
  const auto found = by_base_.lower_bound(base);
  return found == by_base_.end() ? nullptr : &found->second;
}

const Allocation* AllocationMap::first_at_or_after(DeviceAddr base) const {
  const auto found = by_base_.lower_bound(base);
  return found == by_base_.end() ? nullptr : &found->second;
}

}  // namespace svmrt
