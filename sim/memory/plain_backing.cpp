// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/plain_backing.h"

#include <sys/mman.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/memory/memory_file.h"
#include "sim/memory/poison.h"
#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

// Poisoning writes one shadow byte per 8 bytes; 16 MiB keeps a map or unmap of a large block cheap.
constexpr Bytes kLargestPoisonedRange{std::uint64_t{16} << 20};

}  // namespace

tl::expected<std::unique_ptr<PlainBacking>, std::string> PlainBacking::create(ViewAddress view_address) {
  using Access = MappedRegion::Access;
  const bool second_address = poison_is_active();
  MemoryFile file;
  if (second_address) {
    auto created = MemoryFile::create(slice_layout().slice);
    if (!created) return tl::unexpected(refused("create a memory file"));
    file = std::move(*created);
  }
  const bool elsewhere = view_address == ViewAddress::kElsewhere;
  auto slice = reserve_slice(elsewhere ? Access::kNone : Access::kReadWrite, elsewhere ? -1 : file.fd());
  if (!slice) return tl::unexpected(slice.error());
  // An empty region where none is wanted.
  const auto region_if = [&](bool wanted) -> std::optional<MappedRegion> {
    if (!wanted) return MappedRegion();
    return second_address ? MappedRegion::of_file(nullptr, slice->size, Access::kReadWrite, file.fd())
                          : MappedRegion::anonymous(nullptr, slice->size, Access::kReadWrite);
  };
  auto views = region_if(elsewhere);
  std::optional<MappedRegion> own;
  if (views) own = region_if(second_address);
  if (!own) return tl::unexpected(refused("reserve a second address range"));
  return std::unique_ptr<PlainBacking>(new PlainBacking(std::move(*slice), std::move(*views), std::move(*own)));
}

PlainBacking::~PlainBacking() {
  // Poison outlives the mapping, and whoever maps these addresses next must not inherit it.
  for (const auto& [base, size] : poisoned_) unpoison(view_at(base), size.count());
}

void PlainBacking::set_touchable(DeviceAddr base, Bytes size, bool touchable) {
  if (!poison_is_active()) return;
  if (!touchable) {
    if (size > kLargestPoisonedRange) return;
    poison(view_at(base), size.count());
    Bytes& noted = poisoned_[base];
    noted = std::max(noted, size);
    return;
  }
  // By what was poisoned, not by the range: a large one may lie where smaller ones were.
  for (const auto& [noted_base, noted_size] : poisoned_) {
    const DeviceAddr begin = std::max(base, noted_base);
    const DeviceAddr end = std::min(base + size, noted_base + noted_size);
    if (begin < end) unpoison(view_at(begin), (end - begin).count());
  }
}

void PlainBacking::populate(DeviceAddr base, Bytes size) {
  prefer_huge_pages_if_large(bytes_at(base), size);
  set_touchable(base, size, false);
}

void PlainBacking::release(DeviceAddr base, Bytes size) {
  // Private memory drops its pages with DONTNEED, a memory file only with REMOVE; both read as zeros afterwards.
  madvise(bytes_at(base), size.count(), poison_is_active() ? MADV_REMOVE : MADV_DONTNEED);
}

// Assumption of this backing: a store through a read-only mapping goes unnoticed.
void* PlainBacking::map(DeviceAddr base, Bytes size, HostAccess /*access*/) {
  set_touchable(base, size, true);
  return view_at(base);
}

void PlainBacking::unmap(DeviceAddr base, Bytes size) { set_touchable(base, size, false); }

}  // namespace svmsim
