// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/mmu_backing.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "sim/memory/memory_file.h"
#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

// The kernel counts mappings per process, and so does this.
std::atomic<std::uint64_t> live_mappings{0};

[[noreturn]] void end_at_limit(const std::string& reason) {
  const std::string line = fmt::format(
      "svmsim: the simulator, not the driver, is at a limit: {}. Backing mmu holds up to {} host mappings at a time "
      "(Linux: vm.max_map_count); backing plain has no limit\n",
      reason, kMostLiveMappings);
  std::fputs(line.c_str(), stderr);
  std::abort();
}

}  // namespace

tl::expected<std::unique_ptr<MmuBacking>, std::string> MmuBacking::create(ViewAddress view_address) {
  using Access = MappedRegion::Access;
  auto file = MemoryFile::create(slice_layout().slice);
  if (!file) return tl::unexpected(refused("create a memory file"));
  auto slice = reserve_slice(Access::kNone, -1);
  if (!slice) return tl::unexpected(slice.error());
  auto own = MappedRegion::of_file(nullptr, slice->size, Access::kReadWrite, file->fd());
  if (!own) return tl::unexpected(refused("reserve a second address range"));
  std::optional<MappedRegion> views(std::in_place);
  if (view_address == ViewAddress::kElsewhere) views = MappedRegion::anonymous(nullptr, slice->size, Access::kNone);
  if (!views) return tl::unexpected(refused("reserve an address range for views"));
  return std::unique_ptr<MmuBacking>(new MmuBacking(std::move(*slice), std::move(*views), std::move(*own)));
}

MmuBacking::~MmuBacking() { live_mappings -= live_.size(); }

// The memory file is sparse: its pages appear when they are touched.
void MmuBacking::populate(DeviceAddr /*base*/, Bytes /*size*/) {}

void MmuBacking::release(DeviceAddr base, Bytes size) {
  if (madvise(bytes_at(base), size.count(), MADV_REMOVE) != 0) end_at_limit(refused("give pages back"));
}

void* MmuBacking::map(DeviceAddr base, Bytes size, HostAccess access) {
  if (++live_mappings > kMostLiveMappings) end_at_limit(fmt::format("{} live mappings", live_mappings.load()));
  std::byte* const view = view_at(base);
  // An old size of 0 makes a second mapping of shared memory. No descriptor takes part: a program may have closed it.
  const void* const got = mremap(bytes_at(base), 0, size.count(), MREMAP_MAYMOVE | MREMAP_FIXED, view);
  const bool mapped = got != MAP_FAILED &&
                      (access == HostAccess::kReadWrite || mprotect(view, size.count(), PROT_READ) == 0) &&
                      madvise(view, size.count(), MADV_DONTFORK) == 0;  // a forked child does not inherit it (R11)
  if (!mapped) end_at_limit(refused("map pages"));
  live_.emplace(base, size);
  return view;
}

void MmuBacking::unmap(DeviceAddr base, Bytes size) {
  void* const got =
      mmap(view_at(base), size.count(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) end_at_limit(refused("unmap pages"));
  // What is left of a mapping counts on, at its own first page.
  const DeviceAddr end = base + size;
  auto it = live_.upper_bound(base);
  if (it != live_.begin()) --it;
  while (it != live_.end() && it->first < end) {
    const DeviceAddr first = it->first;
    const DeviceAddr last = first + it->second;
    if (last <= base) {
      ++it;
      continue;
    }
    it = live_.erase(it);
    --live_mappings;
    if (first < base) {
      live_.emplace(first, base - first);
      ++live_mappings;
    }
    if (end < last) {
      it = live_.emplace(end, last - end).first;
      ++live_mappings;
    }
  }
}

}  // namespace svmsim
