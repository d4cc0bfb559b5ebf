// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/address_ranges.h"

#include <iterator>

namespace svmsim {

AddressRanges::AddressRanges(Span whole) {
  if (whole.size.count() > 0) free_.emplace(whole.base, whole.size);
}

std::optional<DeviceAddr> AddressRanges::take_first_fit(Bytes size, Bytes alignment) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const DeviceAddr start = round_up(range->first, alignment);
    if (!svmrt::span_inside(start, size, range->first, range->second)) continue;
    carve(range, Span{start, size});
    return start;
  }
  return std::nullopt;
}

bool AddressRanges::take_at(Span span) {
  auto range = free_.upper_bound(span.base);
  if (range == free_.begin()) return false;
  --range;
  if (!svmrt::span_inside(span.base, span.size, range->first, range->second)) return false;
  carve(range, span);
  return true;
}

void AddressRanges::give_back(Span span) {
  auto next = free_.lower_bound(span.base);
  if (next != free_.end() && next->first == span.end()) {
    span.size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == span.base) {
      previous->second += span.size;
      return;
    }
  }
  free_.emplace_hint(next, span.base, span.size);
}

void AddressRanges::carve(FreeMap::iterator range, Span span) {
  const Span old{range->first, range->second};
  if (span.base == old.base) {
    free_.erase(range);
  } else {
    range->second = span.base - old.base;
  }
  if (span.end() < old.end()) free_.emplace(span.end(), old.end() - span.end());
}

std::optional<DeviceAddr> AddressPool::take(const RecentlyFreed::Key& key, Bytes alignment) {
  if (reuse_ == AddressReuse::kLifo) {
    const auto recent = recently_freed_.pop(key, [&](DeviceAddr address) {
      return ranges_.take_at(Span{address, key.size});
    });
    if (recent) return recent;
  }
  return ranges_.take_first_fit(key.size, alignment);
}

void AddressPool::give_back(const RecentlyFreed::Key& key, DeviceAddr base) {
  if (reuse_ == AddressReuse::kQuarantine) return;
  if (reuse_ == AddressReuse::kLifo) recently_freed_.push(key, base);
  ranges_.give_back(Span{base, key.size});
}

}  // namespace svmsim
