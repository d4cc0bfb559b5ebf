// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/extent_map.h"

#include <algorithm>
#include <iterator>

namespace svmsim {

ExtentMap::Extents::const_iterator ExtentMap::first_ending_after(DeviceAddr address) const {
  auto it = extents_.upper_bound(address);
  if (it != extents_.begin()) {
    const auto previous = std::prev(it);
    if (address < previous->first + previous->second.size) return previous;
  }
  return it;
}

bool ExtentMap::overlaps(Span span) const {
  const auto it = first_ending_after(span.base);
  return it != extents_.end() && it->first < span.end();
}

void* ExtentMap::map(Span span, HostAccess access) {
  void* host = backing_.map(span.base, span.size, access);
  extents_.emplace(span.base, Extent{span.size, static_cast<std::byte*>(host), access, true});
  return host;
}

void* ExtentMap::map_missing(Span span, HostAccess access) {
  DeviceAddr at = span.base;
  while (at < span.end()) {
    const auto next = first_ending_after(at);
    if (next != extents_.end() && next->first <= at) {
      at = next->first + next->second.size;
      continue;
    }
    const DeviceAddr end = next == extents_.end() ? span.end() : std::min(next->first, span.end());
    void* host = backing_.map(at, end - at, access);
    extents_.emplace(at, Extent{end - at, static_cast<std::byte*>(host), access, false});
    at = end;
  }
  split(span.base);
  Extent& first = extents_.at(span.base);
  first.starts_registration = true;
  return first.host;
}

Bytes ExtentMap::unmap_registration(DeviceAddr base, DeviceAddr limit) {
  auto it = extents_.find(base);
  if (it == extents_.end() || !it->second.starts_registration) return Bytes(0);
  DeviceAddr end = base;
  do {
    const Span extent{it->first, it->second.size};
    if (limit < extent.end()) split(limit);  // shortens this extent, which stays where it is
    end = std::min(extent.end(), limit);
    backing_.unmap(extent.base, end - extent.base);
    it = extents_.erase(it);
  } while (it != extents_.end() && it->first == end && end < limit && !it->second.starts_registration);
  return end - base;
}

void ExtentMap::drop(Span span) {
  split(span.base);
  split(span.end());
  auto it = extents_.lower_bound(span.base);
  while (it != extents_.end() && it->first < span.end()) {
    backing_.unmap(it->first, it->second.size);
    it = extents_.erase(it);
  }
}

void ExtentMap::drop_all() {
  for (const auto& [base, extent] : extents_) backing_.unmap(base, extent.size);
  extents_.clear();
}

std::vector<MappedExtent> ExtentMap::extents() const {
  std::vector<MappedExtent> list;
  list.reserve(extents_.size());
  for (const auto& [base, extent] : extents_) list.push_back(MappedExtent{base, extent.size, extent.access});
  return list;
}

void ExtentMap::split(DeviceAddr at) {
  auto it = extents_.upper_bound(at);
  if (it == extents_.begin()) return;
  --it;
  const DeviceAddr end = it->first + it->second.size;
  if (it->first == at || end <= at) return;
  const Bytes kept = at - it->first;
  Extent rest = it->second;
  rest.size = end - at;
  rest.host += kept.count();
  rest.starts_registration = false;
  it->second.size = kept;
  extents_.emplace_hint(std::next(it), at, rest);
}

}  // namespace svmsim
