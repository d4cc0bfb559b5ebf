// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/mapped_region.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "sim/memory/slice_layout.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;

namespace {

struct ParkingPlace {
  std::mutex mutex;
  std::optional<ParkedSlice> without_views, with_views;
};

ParkingPlace& parking_place() {
  static ParkingPlace place;
  return place;
}

void* map_pages(void* at, Bytes size, MappedRegion::Access access, int flags, int fd) {
  const int protection = access == MappedRegion::Access::kNone ? PROT_NONE : PROT_READ | PROT_WRITE;
  if (at != nullptr) flags |= MAP_FIXED_NOREPLACE;
  void* const got = mmap(at, size.count(), protection, flags | MAP_NORESERVE, fd, 0);
  if (got == MAP_FAILED) return nullptr;
  if (at != nullptr && got != at) {  // a kernel before 4.17 takes the address as a hint only
    munmap(got, size.count());
    errno = EEXIST;
    return nullptr;
  }
  return got;
}

}  // namespace

MappedRegion::MappedRegion(MappedRegion&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, Bytes())) {}

MappedRegion& MappedRegion::operator=(MappedRegion&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedRegion::~MappedRegion() {
  if (data_ != nullptr) munmap(data_, size_.count());
}

std::optional<MappedRegion> MappedRegion::anonymous(void* at, Bytes size, Access access) {
  void* const got = map_pages(at, size, access, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (got == nullptr) return std::nullopt;
  return MappedRegion(static_cast<std::byte*>(got), size);
}

std::optional<MappedRegion> MappedRegion::of_file(void* at, Bytes size, Access access, int fd) {
  void* const got = map_pages(at, size, access, MAP_SHARED, fd);
  if (got == nullptr) return std::nullopt;
  return MappedRegion(static_cast<std::byte*>(got), size);
}

std::string refused(const char* what) {
  return fmt::format("cannot {} for simulated device memory: {}", what, std::strerror(errno));
}

void prefer_huge_pages_if_large(std::byte* begin, Bytes size) {
  constexpr Bytes kLarge{std::uint64_t{32} << 20};
  if (size >= kLarge) madvise(begin, size.count(), MADV_HUGEPAGE);  // a host that has none goes on without
}

void park_slice(ParkedSlice parked) {
  ParkingPlace& place = parking_place();
  const std::lock_guard lock(place.mutex);
  std::optional<ParkedSlice>& kept = parked.views.data() == nullptr ? place.without_views : place.with_views;
  if (!kept || parked.slice.base < kept->slice.base) kept.emplace(std::move(parked));
}

std::optional<ParkedSlice> take_parked_slice(bool with_views) {
  ParkingPlace& place = parking_place();
  const std::lock_guard lock(place.mutex);
  return std::exchange(with_views ? place.with_views : place.without_views, std::nullopt);
}

void give_back_parked_slices() {
  take_parked_slice(false).reset();
  take_parked_slice(true).reset();
}

tl::expected<AddressSlice, std::string> reserve_slice(MappedRegion::Access access, int fd) {
  const SliceLayout layout = slice_layout();
  DeviceAddr base = layout.first_slice();
  for (std::uint32_t slot = 0; slot < layout.slices; ++slot, base = base + layout.slice) {
    // The one place where a device address of the layout becomes a place in the process.
    void* const at = reinterpret_cast<void*>(base.value());  // NOLINT(performance-no-int-to-ptr)
    auto region = fd < 0 ? MappedRegion::anonymous(at, layout.slice, access)
                         : MappedRegion::of_file(at, layout.slice, access, fd);
    if (region) return AddressSlice{base, layout.slice, std::move(*region)};
    if (errno != EEXIST) {
      return tl::unexpected(fmt::format(
          "cannot reserve {} GiB of address space at {:#x} for simulated device memory: {}. The reservation needs no "
          "memory, but `ulimit -v` must be unlimited (or leave room for it)",
          layout.slice.count() >> 30, base.value(), std::strerror(errno)));
    }
  }
  return tl::unexpected(
      fmt::format("all {} slices of simulated device address space are in use: this process already "
                  "holds that many machines",
                  layout.slices));
}

}  // namespace svmsim
