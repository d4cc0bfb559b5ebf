// SPDX-License-Identifier: Apache-2.0
// Device memory of the v2 driver (P3, P5, F2, F2a, F2b): heaps, kernel segments, the user-space cache of freed
// pieces, HBM capacity. Reads and drops host mappings where a free depends on them. Owned by V2Driver; thread-bound.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/driver/alloc_rules.h"
#include "sim/driver/extent_map.h"
#include "sim/driver/v2_heap.h"

namespace svmsim {

// F2: segments above this reach the kernel when freed. Zero where the platform bypasses the cache.
[[nodiscard]] Bytes f2_cache_threshold(AddressReuse reuse, PageKind kind);
// F2b: cached bytes of a heap at which it shrinks.
[[nodiscard]] Bytes f2b_shrink_at(Bytes threshold);
// P3: whether the tail of a new segment is open to other blocks. `used` is rounded to the granularity.
[[nodiscard]] bool p3_shares_tail(Bytes used, Bytes segment, Bytes threshold);

// A populated address.
struct V2Place {
  const V2Heap* heap = nullptr;
  Span segment;
};

class V2Allocator {
 public:
  // `backing` and `mapped` are borrowed for the allocator's life.
  V2Allocator(const Platform& platform, const AddressLayout& layout, Backing& backing, ExtentMap& mapped);

  // Precondition: p2_check_v2 passed. Fails with kOutOfMemory (HBM or addresses).
  [[nodiscard]] AllocOutcome allocate(Bytes size, const AllocFlag& flag);
  [[nodiscard]] DriverCode free(DeviceAddr base);
  // Every mapping must be dropped before.
  void close();

  [[nodiscard]] bool is_svm(DeviceAddr address) const { return layout_.contains(address); }
  // The populated page at `address`, also one of a cached block; null where no page is. Valid until the next change.
  [[nodiscard]] std::optional<V2Place> find(DeviceAddr address) const;
  [[nodiscard]] std::vector<BlockInfo> live_blocks() const;

 private:
  struct Block {
    Bytes requested;
    Bytes span;  // what it occupies: its segment's unshared tail too
  };
  using HeapList = std::vector<V2Heap*>;  // oldest first

  [[nodiscard]] std::optional<DeviceAddr> take_cached(HeapList& list, Bytes size);
  [[nodiscard]] std::optional<DeviceAddr> take_heap_addresses(const V2HeapKey& key, Bytes size);
  [[nodiscard]] std::optional<DeviceAddr> take_single_block_addresses(const V2HeapKey& key, Bytes size);
  V2Heap& add_heap(const V2HeapKey& key, Span addresses, bool single_block);
  void destroy_heap(V2Heap& heap);
  [[nodiscard]] V2Heap* heap_at(DeviceAddr address);
  void add_block(V2Heap& heap, DeviceAddr base, Block block);
  void release_segment(V2Heap& heap, Span segment);
  void shrink(V2Heap& heap);
  void destroy_idle_heaps(const V2HeapKey& key);

  Bytes hbm_;
  AddressReuse reuse_;
  Span layout_;
  Backing& backing_;
  ExtentMap& mapped_;
  AddressRanges units_;  // addresses of heaps, taken by whole GiB
  RecentlyFreed recently_freed_;
  std::map<DeviceAddr, V2Heap> heaps_;
  std::map<V2HeapKey, HeapList> lists_;
  std::map<DeviceAddr, Block> blocks_;
  std::array<Bytes, kDeviceIdLimit> used_hbm_{};
};

}  // namespace svmsim
