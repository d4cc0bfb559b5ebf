// SPDX-License-Identifier: Apache-2.0
// One heap of the v2 driver: 1 GiB of address of one device and page kind, or the address of a single block that is
// giant or above 512 MiB. Its kernel segments are exactly its populated pages. Owned by V2Allocator; thread-compatible.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "sim/driver/address_ranges.h"
#include "sim/driver/hal_driver.h"
#include "sim/driver/span.h"
#include "sim/driver/v2_segment_cache.h"

namespace svmsim {

// What all memory of a heap has in common. Assumption: read-only memory lives in heaps of its own.
struct V2HeapKey {
  std::uint32_t device_id = 0;
  PageKind kind = PageKind::kOrdinary;
  bool read_only = false;
  auto operator<=>(const V2HeapKey&) const = default;
};

struct V2Heap {
  V2Heap(V2HeapKey heap_key, Span addresses, bool holds_single_block)
      : key(heap_key),
        span(addresses),
        single_block(holds_single_block),
        free_addresses(Span{addresses.base, holds_single_block ? Bytes(0) : addresses.size}) {}

  V2HeapKey key;
  Span span;
  bool single_block;
  AddressRanges free_addresses;
  std::map<DeviceAddr, Bytes> segments;
  V2SegmentCache cache;
  std::uint64_t blocks = 0;     // allocated, not cached
  bool shrink_stopped = false;  // F2b: a mapped segment stopped a shrink, and with it every later one

  [[nodiscard]] std::optional<Span> segment_at(DeviceAddr address) const {
    auto it = segments.upper_bound(address);
    if (it == segments.begin()) return std::nullopt;
    --it;
    const Span segment{it->first, it->second};
    return segment.contains(address) ? std::optional(segment) : std::nullopt;
  }

  // Whether every page of `range`, which starts in this heap, is there (R5): it may cross segments that touch.
  [[nodiscard]] bool populated(Span range) const {
    auto it = segments.upper_bound(range.base);
    if (it == segments.begin()) return false;
    --it;
    DeviceAddr reached = it->first + it->second;
    if (reached <= range.base) return false;
    while (reached < range.end()) {
      ++it;
      if (it == segments.end() || it->first != reached) return false;
      reached = reached + it->second;
    }
    return true;
  }
};

}  // namespace svmsim
