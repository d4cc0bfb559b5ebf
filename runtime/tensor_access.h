// SPDX-License-Identifier: Apache-2.0
// Reads and writes single elements of a run's argument tensors from the host. One TensorAccess serves one run.
//
// A *staged* region is served from the caller's own host buffer; a write is pushed to the device as well. A
// *child-memory* region (a tensor that already lives on the device) is only claimed at bind, which makes no call;
// its first access resolves the means once for this run: a host view from the runner's cache or, when there is
// none, one device copy per access. The copy path holds no bytes: a read cannot be stale, a write lands at once,
// each access counts into `device_copies`. A *pure output* region and one *without data* refuse both directions.
//
// Ownership: borrows the HostApi and the caller buffers until close(). Views belong to the runner's cache.
// Thread-bound: one TensorAccess is used by one thread at a time.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/host_api.h"
#include "runtime/region_index.h"
#include "runtime/units.h"

namespace svmrt {

enum class AccessStatus {
  kOk,
  kNoRegion,     // no region covers the whole span (start, end or overflow); nothing was touched
  kOutputOnly,   // the span lies in a pure output argument
  kNoData,       // the span lies in an argument that was declared to have an address and a size, but no bytes
  kBadSpan,      // the runner refuses the span: not inside one live allocation
  kCopyFailed,   // the device copy, or the push of a staged write, failed; `driver_code` says how
  kDeferred,     // another live run, `producer`, is going to write some of the bytes: nothing was touched
  kUnavailable,  // runner finalized, device lost, this access already closed, or the api lacks the copy function
};

struct AccessResult {
  AccessStatus status = AccessStatus::kOk;
  std::int32_t driver_code = 0;  // meaningful for kCopyFailed
  std::uint64_t producer = 0;    // meaningful for kDeferred: the run's number
  [[nodiscard]] bool ok() const { return status == AccessStatus::kOk; }
};

// Counted since construction. `accesses` counts successful and failed reads and writes that reached a child-memory
// region; `device_copies` those of them that made a device copy, failed ones too. A view access counts one load or
// store for up to 8 bytes, otherwise one for every 8 bytes begun.
struct AccessStats {
  std::uint64_t accesses = 0;
  std::uint64_t device_copies = 0;
  std::uint64_t view_loads = 0;
  std::uint64_t view_stores = 0;
  std::uint64_t regions_with_view = 0;  // child-memory regions resolved to a view in this run
  Bytes bytes_with_view;                // their bytes, as claimed
  Picoseconds copy_time;                // of device_copies
  Picoseconds push_time;                // of pushes of staged writes
  std::uint64_t staged_writes = 0;      // that reached the caller's buffer
};

class TensorAccess {
 public:
  // `api` is borrowed until destruction; null refuses every region.
  explicit TensorAccess(const HostApi* api);
  TensorAccess(const TensorAccess&) = delete;
  TensorAccess& operator=(const TensorAccess&) = delete;
  ~TensorAccess();  // closes

  // Adds a region; false (and nothing added) for a null api, an empty region, a null address (device or host) or an
  // address range that runs past 2^64, and after close. None of the four makes a driver call. Regions may overlap: an
  // access goes to the first added one that covers its whole span and does not refuse accesses.
  [[nodiscard]] bool add_staged(DeviceAddr device, void* host, Bytes size);
  [[nodiscard]] bool claim_child_memory(DeviceAddr device, Bytes size);
  [[nodiscard]] bool add_output_only(DeviceAddr device, Bytes size);
  [[nodiscard]] bool add_without_data(DeviceAddr device, Bytes size);

  // Copies the bytes of [device, device + size) to `to`. On failure `to` is untouched. Of child memory, bytes that
  // another run is going to write are kDeferred. One region must cover the whole span; an empty span (size 0) is
  // covered by none.
  [[nodiscard]] AccessResult read(DeviceAddr device, void* to, Bytes size);
  // Stores `size` bytes at `device`: on the device and then in the caller's buffer for a staged region. When the push
  // to the device fails the caller's buffer stays as it was.
  [[nodiscard]] AccessResult write(DeviceAddr device, const void* from, Bytes size);

  // The same for an element of 1 to 8 bytes, which are the low bytes of `bits`; other sizes are kNoRegion. Where the
  // region's means is known this costs a table lookup and the load or store, and little more than the load or store
  // for one region many times in a row. Two words, so that both are returned in registers.
  struct Element {
    std::uint64_t bits = 0;
    AccessStatus status = AccessStatus::kOk;
    [[nodiscard]] bool ok() const { return status == AccessStatus::kOk; }
  };
  [[nodiscard]] Element load(DeviceAddr device, Bytes size);
  [[nodiscard]] AccessStatus store(DeviceAddr device, std::uint64_t bits, Bytes size);
  // Of the last load or store that failed.
  [[nodiscard]] const AccessResult& failure() const { return failure_; }

  // Resolves every claimed child-memory region now (register-all). Returns how many have a view.
  std::uint64_t resolve_all();

  // Tells the api the view loads and stores, then forgets every region. Later calls are refused. Idempotent.
  void close();

  [[nodiscard]] AccessStats stats() const;

 private:
  enum class Kind : std::uint8_t { kStaged, kChildMemory, kOutputOnly, kNoData };
  // How a child-memory region is reached; decided at its first access and kept until close.
  enum class Means : std::uint8_t { kUnresolved, kView, kCopy, kBadSpan, kUnavailable };
  struct Region {
    DeviceAddr base;
    Bytes size;
    Kind kind = Kind::kChildMemory;
    Means means = Means::kUnresolved;
    std::byte* host = nullptr;  // of `base`: the caller's buffer, or the view
  };
  [[nodiscard]] static bool refuses(const Region& region) {
    return region.kind == Kind::kOutputOnly || region.kind == Kind::kNoData;
  }
  [[nodiscard]] bool add(DeviceAddr device, Bytes size, Kind kind, void* host);
  void build_index();
  // The region that serves the span; null when none covers it. *segment is the one at `device`.
  [[nodiscard]] Region* find(DeviceAddr device, Bytes size, RegionIndex::Number* segment);
  Means resolve(Region& region);
  // From here on accesses to the segment take no more than the look at the index, until another run declares bytes.
  void open(RegionIndex::Number segment, const Region& region);
  [[nodiscard]] std::uint64_t declarations() const { return declarations_->load(std::memory_order_acquire); }
  // What the quick look at the index did not serve; `found` is what it found.
  [[nodiscard]] Element load_open(const RegionIndex::Segment* found, DeviceAddr device, Bytes size);
  [[nodiscard]] AccessStatus store_open(const RegionIndex::Segment* found, DeviceAddr device, std::uint64_t bits,
                                        Bytes size);
  [[nodiscard]] Element load_any(DeviceAddr device, Bytes size);
  [[nodiscard]] AccessStatus store_any(DeviceAddr device, std::uint64_t bits, Bytes size);
  [[nodiscard]] AccessResult read_any(DeviceAddr device, void* to, Bytes size);
  [[nodiscard]] AccessResult write_any(DeviceAddr device, const void* from, Bytes size);
  [[nodiscard]] AccessResult read_copy(DeviceAddr device, void* to, Bytes size);
  [[nodiscard]] AccessResult write_copy(DeviceAddr device, const void* from, Bytes size);
  [[nodiscard]] AccessResult write_staged(Region& region, DeviceAddr device, const void* from, Bytes size);
  [[nodiscard]] std::uint64_t now() const;

  const HostApi* api_;
  bool closed_ = false;
  std::vector<Region> regions_;  // in claim order
  RegionIndex index_;
  bool index_valid_ = false;
  const std::atomic<std::uint64_t>* const declarations_;  // of the api, or a number that stands where nobody declares
  std::uint64_t opened_at_ = 0;                           // declarations() when the open segments were opened
  RegionIndex::Uses open_reads_;                          // of open segments, which are not in stats_
  RegionIndex::Uses open_writes_;
  std::uint64_t staged_open_reads_ = 0;  // those of them that are not accesses of a view
  std::uint64_t staged_open_writes_ = 0;
  std::vector<std::byte> bounce_;  // receives a device copy that may still fail
  AccessResult failure_;
  AccessStats stats_;
};

namespace detail {
// The bits of an element are the low bytes of a 64-bit word.
static_assert(std::endian::native == std::endian::little);

// A size that the compiler knows becomes one load and one store.
inline void copy_element(void* to, const void* from, std::uint64_t size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, size);
  }
}
}  // namespace detail

[[gnu::always_inline]] inline TensorAccess::Element TensorAccess::load(DeviceAddr device, Bytes size) {
  if (declarations() != opened_at_) [[unlikely]] {
    return load_any(device, size);
  }
  const RegionIndex::Segment* segment = index_.quick_open_at(device.value(), size.count(), open_reads_);
  if (segment == nullptr || !segment->counted) [[unlikely]] {
    return load_open(segment, device, size);
  }
  std::uint64_t bits = 0;
  detail::copy_element(&bits, segment->host(device.value()), size.count());
  return {bits, AccessStatus::kOk};
}

[[gnu::always_inline]] inline AccessStatus TensorAccess::store(DeviceAddr device, std::uint64_t bits, Bytes size) {
  const RegionIndex::Segment* segment = index_.quick_open_at(device.value(), size.count(), open_writes_);
  if (segment == nullptr || !segment->counted) [[unlikely]] {
    return store_open(segment, device, bits, size);
  }
  detail::copy_element(segment->host(device.value()), &bits, size.count());
  return AccessStatus::kOk;
}

}  // namespace svmrt
