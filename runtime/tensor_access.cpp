// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_access.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace svmrt {

namespace {

// Ranges are compared by their last byte, which exists even for one that ends at 2^64. Precondition: size > 0 and the
// range does not run past 2^64.
std::uint64_t last_byte(DeviceAddr base, Bytes size) { return base.value() + (size.count() - 1); }

bool is_range(DeviceAddr base, Bytes size) {
  return size > Bytes(0) && size.count() - 1 <= std::numeric_limits<std::uint64_t>::max() - base.value();
}

// Element accesses are at most one 8-byte word; longer spans move word by word.
std::uint64_t word_accesses(Bytes size) { return (size.count() + 7) / 8; }

}  // namespace

TensorAccess::TensorAccess(const HostApi* api) : api_(api) {}

TensorAccess::~TensorAccess() { close(); }

bool TensorAccess::add_staged(DeviceAddr device, void* host, Bytes size) {
  return host != nullptr && add(device, size, Kind::kStaged, host);
}

bool TensorAccess::claim_child_memory(DeviceAddr device, Bytes size) {
  return add(device, size, Kind::kChildMemory, nullptr);
}

bool TensorAccess::add_output_only(DeviceAddr device, Bytes size) {
  return add(device, size, Kind::kOutputOnly, nullptr);
}

bool TensorAccess::add_without_data(DeviceAddr device, Bytes size) { return add(device, size, Kind::kNoData, nullptr); }

bool TensorAccess::add(DeviceAddr device, Bytes size, Kind kind, void* host) {
  if (closed_ || api_ == nullptr || device.is_null() || !is_range(device, size)) return false;
  regions_.push_back({device, size, kind, Means::kUnresolved, static_cast<std::byte*>(host)});
  index_valid_ = false;
  return true;
}

void TensorAccess::build_index() {
  index_.clear();
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    index_.push_back({i, region.base.value(), last_byte(region.base, region.size), false});
  }
  std::sort(index_.begin(), index_.end(), [](const IndexEntry& a, const IndexEntry& b) {
    return a.base != b.base ? a.base < b.base : a.region < b.region;
  });
  // Until here highest_last is each region's own last byte.
  for (std::size_t i = 1; i < index_.size(); ++i) {
    IndexEntry& before = index_[i - 1];
    IndexEntry& entry = index_[i];
    const Region& neighbour = regions_[before.region];
    entry.overlaps = before.highest_last >= entry.base;
    if (last_byte(neighbour.base, neighbour.size) >= entry.base) before.overlaps = true;
    entry.highest_last = std::max(entry.highest_last, before.highest_last);
  }
  last_hit_ = nullptr;
  index_valid_ = true;
}

// A host reads one tensor's elements in a row, so the region of the last access comes first. That is the right answer
// only where no other region could cover the span.
TensorAccess::Region* TensorAccess::find(DeviceAddr device, Bytes size) {
  if (!is_range(device, size)) return nullptr;
  if (!index_valid_) build_index();
  if (last_hit_ != nullptr) {
    Region& region = regions_[last_hit_->region];
    if (span_inside(device, size, region.base, region.size)) return &region;
  }
  const IndexEntry* best = nullptr;
  const auto is_better = [this](const IndexEntry& a, const IndexEntry& b) {
    const bool a_refuses = refuses(regions_[a.region]);
    const bool b_refuses = refuses(regions_[b.region]);
    return a_refuses != b_refuses ? b_refuses : a.region < b.region;
  };
  auto entry = std::upper_bound(index_.begin(), index_.end(), device.value(),
                                [](std::uint64_t address, const IndexEntry& e) { return address < e.base; });
  while (entry != index_.begin()) {
    --entry;
    if (entry->highest_last < last_byte(device, size)) break;
    const Region& region = regions_[entry->region];
    if (!span_inside(device, size, region.base, region.size)) continue;
    if (best == nullptr || is_better(*entry, *best)) best = &*entry;
  }
  if (best == nullptr) return nullptr;
  last_hit_ = best->overlaps ? nullptr : best;
  return &regions_[best->region];
}

TensorAccess::Means TensorAccess::resolve(Region& region) {
  if (region.means != Means::kUnresolved) return region.means;
  void* view = nullptr;
  HostViewStatus status = HostViewStatus::kNoView;
  if (api_->acquire_child_memory_host_view != nullptr) {
    status = api_->acquire_child_memory_host_view(api_->context, region.base.value(), region.size.count(), &view);
  }
  switch (status) {
    case HostViewStatus::kMapped:
      // A success without an address is no view.
      region.means = view != nullptr ? Means::kView : Means::kCopy;
      region.host = static_cast<std::byte*>(view);
      break;
    case HostViewStatus::kNoView:
      region.means = Means::kCopy;
      break;
    case HostViewStatus::kBadSpan:
      region.means = Means::kBadSpan;
      break;
    case HostViewStatus::kUnavailable:
      region.means = Means::kUnavailable;
      break;
  }
  if (region.means == Means::kView) {
    ++stats_.regions_with_view;
    stats_.bytes_with_view += region.size;
  }
  return region.means;
}

std::uint64_t TensorAccess::resolve_all() {
  std::uint64_t with_view = 0;
  for (Region& region : regions_) {
    if (region.kind == Kind::kChildMemory && resolve(region) == Means::kView) ++with_view;
  }
  return with_view;
}

AccessResult TensorAccess::read(DeviceAddr device, void* to, Bytes size) {
  if (closed_) return {AccessStatus::kUnavailable};
  Region* region = find(device, size);
  if (region == nullptr) return {AccessStatus::kNoRegion};
  switch (region->kind) {
    case Kind::kOutputOnly:
      return {AccessStatus::kOutputOnly};
    case Kind::kNoData:
      return {AccessStatus::kNoData};
    case Kind::kStaged:
      std::memmove(to, region->host + (device - region->base).count(), size.count());
      return {};
    case Kind::kChildMemory:
      break;
  }
  if (api_->other_producer != nullptr) {
    const std::uint64_t producer = api_->other_producer(api_->context, device.value(), size.count());
    if (producer != 0) return {AccessStatus::kDeferred, 0, producer};
  }
  ++stats_.accesses;
  switch (resolve(*region)) {
    case Means::kView:
      std::memcpy(to, region->host + (device - region->base).count(), size.count());
      stats_.view_loads += word_accesses(size);
      return {};
    case Means::kCopy:
      return read_copy(device, to, size);
    case Means::kBadSpan:
      return {AccessStatus::kBadSpan};
    case Means::kUnresolved:
    case Means::kUnavailable:
      break;
  }
  return {AccessStatus::kUnavailable};
}

AccessResult TensorAccess::write(DeviceAddr device, const void* from, Bytes size) {
  if (closed_) return {AccessStatus::kUnavailable};
  Region* region = find(device, size);
  if (region == nullptr) return {AccessStatus::kNoRegion};
  switch (region->kind) {
    case Kind::kOutputOnly:
      return {AccessStatus::kOutputOnly};
    case Kind::kNoData:
      return {AccessStatus::kNoData};
    case Kind::kStaged:
      return write_staged(*region, device, from, size);
    case Kind::kChildMemory:
      break;
  }
  ++stats_.accesses;
  switch (resolve(*region)) {
    case Means::kView:
      std::memcpy(region->host + (device - region->base).count(), from, size.count());
      stats_.view_stores += word_accesses(size);
      return {};
    case Means::kCopy:
      return write_copy(device, from, size);
    case Means::kBadSpan:
      return {AccessStatus::kBadSpan};
    case Means::kUnresolved:
    case Means::kUnavailable:
      break;
  }
  return {AccessStatus::kUnavailable};
}

// A failed device copy leaves its destination undefined, so it goes through a buffer of ours.
AccessResult TensorAccess::read_copy(DeviceAddr device, void* to, Bytes size) {
  if (api_->copy_from_device == nullptr) return {AccessStatus::kUnavailable};
  bounce_.resize(size.count());
  const std::uint64_t start = now();
  const std::int32_t code = api_->copy_from_device(api_->context, bounce_.data(), device.value(), size.count());
  if (code == kRefusedByRunner) return {AccessStatus::kUnavailable};
  stats_.copy_time += Picoseconds(now() - start);
  ++stats_.device_copies;
  if (code != 0) return {AccessStatus::kCopyFailed, code};
  std::memcpy(to, bounce_.data(), size.count());
  return {};
}

AccessResult TensorAccess::write_copy(DeviceAddr device, const void* from, Bytes size) {
  if (api_->copy_to_device == nullptr) return {AccessStatus::kUnavailable};
  const std::uint64_t start = now();
  const std::int32_t code = api_->copy_to_device(api_->context, device.value(), from, size.count());
  if (code == kRefusedByRunner) return {AccessStatus::kUnavailable};
  stats_.copy_time += Picoseconds(now() - start);
  ++stats_.device_copies;
  if (code != 0) return {AccessStatus::kCopyFailed, code};
  return {};
}

AccessResult TensorAccess::write_staged(Region& region, DeviceAddr device, const void* from, Bytes size) {
  if (api_->copy_to_device == nullptr) return {AccessStatus::kUnavailable};
  const std::uint64_t start = now();
  const std::int32_t code = api_->copy_to_device(api_->context, device.value(), from, size.count());
  if (code == kRefusedByRunner) return {AccessStatus::kUnavailable};
  stats_.push_time += Picoseconds(now() - start);
  if (code != 0) return {AccessStatus::kCopyFailed, code};
  std::memmove(region.host + (device - region.base).count(), from, size.count());
  ++stats_.staged_writes;
  return {};
}

std::uint64_t TensorAccess::now() const { return api_->now_ps != nullptr ? api_->now_ps(api_->context) : 0; }

void TensorAccess::close() {
  if (closed_) return;
  closed_ = true;
  const bool used_views = stats_.view_loads > 0 || stats_.view_stores > 0;
  if (used_views && api_->charge_view_accesses != nullptr) {
    api_->charge_view_accesses(api_->context, stats_.view_loads, stats_.view_stores);
  }
  regions_.clear();
  index_.clear();
  last_hit_ = nullptr;
}

}  // namespace svmrt
