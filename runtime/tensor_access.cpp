// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensor_access.h"

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

constexpr Bytes kLongestElement(RegionIndex::kLongest);
constexpr std::atomic<std::uint64_t> kNoDeclarations{0};

}  // namespace

TensorAccess::TensorAccess(const HostApi* api)
    : api_(api), declarations_(api == nullptr || api->declarations == nullptr ? &kNoDeclarations : api->declarations) {}

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
  std::vector<RegionIndex::Region> regions;
  regions.reserve(regions_.size());
  for (const Region& region : regions_) {
    regions.push_back({region.base.value(), last_byte(region.base, region.size), refuses(region)});
  }
  index_.build(regions);
  index_valid_ = true;
}

// Every region that covers the span contains its first byte, so what comes first there is the answer if it covers the
// span. Otherwise a region that comes later may reach further.
TensorAccess::Region* TensorAccess::find(DeviceAddr device, Bytes size, RegionIndex::Number* segment) {
  if (!is_range(device, size) || regions_.empty()) return nullptr;
  if (!index_valid_) build_index();
  *segment = index_.at(device.value());
  Region& first = regions_[index_[*segment].region];
  if (span_inside(device, size, first.base, first.size)) return &first;
  if (!index_[*segment].shared) return nullptr;
  Region* best = nullptr;
  for (Region& region : regions_) {
    if (!span_inside(device, size, region.base, region.size)) continue;
    if (best == nullptr || (refuses(*best) && !refuses(region))) best = &region;
  }
  return best;
}

void TensorAccess::open(RegionIndex::Number segment, const Region& region) {
  if (&region != &regions_[index_[segment].region]) return;
  const bool may_defer = region.kind == Kind::kChildMemory && api_->other_producer != nullptr;
  if (may_defer && api_->declarations == nullptr) return;  // it must be asked each time
  const std::uint64_t now = declarations();
  if (now != opened_at_) index_.close_all();
  opened_at_ = now;
  const std::uint64_t base = index_.first(segment);
  if (may_defer && api_->other_producer(api_->context, base, index_.length(segment)) != 0) return;
  index_.open(segment, region.host + (base - region.base.value()), region.kind == Kind::kChildMemory);
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
  if (size > kLongestElement) return read_any(device, to, size);
  const Element element = load(device, size);
  if (!element.ok()) return failure_;
  std::memcpy(to, &element.bits, size.count());
  return {};
}

AccessResult TensorAccess::write(DeviceAddr device, const void* from, Bytes size) {
  if (size > kLongestElement) return write_any(device, from, size);
  std::uint64_t bits = 0;
  if (size > Bytes(0)) std::memcpy(&bits, from, size.count());  // nothing may come from null
  return store(device, bits, size) == AccessStatus::kOk ? AccessResult{} : failure_;
}

TensorAccess::Element TensorAccess::load_open(const RegionIndex::Segment* found, DeviceAddr device, Bytes size) {
  const std::uint64_t address = device.value();
  if (found == nullptr) found = index_.open_at(address, size.count(), open_reads_);
  if (found == nullptr) return load_any(device, size);
  if (!found->counted) ++staged_open_reads_;
  std::uint64_t bits = 0;
  detail::copy_element(&bits, found->host(address), size.count());
  return {bits, AccessStatus::kOk};
}

AccessStatus TensorAccess::store_open(const RegionIndex::Segment* found, DeviceAddr device, std::uint64_t bits,
                                      Bytes size) {
  const std::uint64_t address = device.value();
  if (found == nullptr) found = index_.open_at(address, size.count(), open_writes_);
  if (found == nullptr) return store_any(device, bits, size);
  if (!found->counted) {
    ++staged_open_writes_;
    return store_any(device, bits, size);
  }
  detail::copy_element(found->host(address), &bits, size.count());
  return AccessStatus::kOk;
}

TensorAccess::Element TensorAccess::load_any(DeviceAddr device, Bytes size) {
  std::uint64_t bits = 0;
  const AccessResult result =
      size > kLongestElement ? AccessResult{AccessStatus::kNoRegion} : read_any(device, &bits, size);
  if (!result.ok()) failure_ = result;
  return {bits, result.status};
}

AccessStatus TensorAccess::store_any(DeviceAddr device, std::uint64_t bits, Bytes size) {
  const AccessResult result =
      size > kLongestElement ? AccessResult{AccessStatus::kNoRegion} : write_any(device, &bits, size);
  if (!result.ok()) failure_ = result;
  return result.status;
}

AccessResult TensorAccess::read_any(DeviceAddr device, void* to, Bytes size) {
  if (closed_) return {AccessStatus::kUnavailable};
  RegionIndex::Number segment = 0;
  Region* region = find(device, size, &segment);
  if (region == nullptr) return {AccessStatus::kNoRegion};
  switch (region->kind) {
    case Kind::kOutputOnly:
      return {AccessStatus::kOutputOnly};
    case Kind::kNoData:
      return {AccessStatus::kNoData};
    case Kind::kStaged:
      open(segment, *region);
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
      open(segment, *region);
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

AccessResult TensorAccess::write_any(DeviceAddr device, const void* from, Bytes size) {
  if (closed_) return {AccessStatus::kUnavailable};
  RegionIndex::Number segment = 0;
  Region* region = find(device, size, &segment);
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
      open(segment, *region);
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

AccessStats TensorAccess::stats() const {
  AccessStats all = stats_;
  const std::uint64_t view_reads = open_reads_.count() - staged_open_reads_;
  const std::uint64_t view_writes = open_writes_.count() - staged_open_writes_;
  all.accesses += view_reads + view_writes;
  all.view_loads += view_reads;
  all.view_stores += view_writes;
  return all;
}

void TensorAccess::close() {
  if (closed_) return;
  closed_ = true;
  const AccessStats all = stats();
  const bool used_views = all.view_loads > 0 || all.view_stores > 0;
  if (used_views && api_->charge_view_accesses != nullptr) {
    api_->charge_view_accesses(api_->context, all.view_loads, all.view_stores);
  }
  regions_.clear();
  index_.clear();
}

}  // namespace svmrt
