// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/slice_backing.h"

#include <utility>

#include "sim/memory/mmu_backing.h"
#include "sim/memory/plain_backing.h"
#include "sim/memory/poison.h"
#include "sim/memory/recycled_backing.h"

namespace svmsim {

namespace {

std::byte* first_of(const MappedRegion& region, std::byte* otherwise) {
  return region.data() == nullptr ? otherwise : region.data();
}

}  // namespace

SliceBacking::SliceBacking(AddressSlice slice, MappedRegion views, MappedRegion own)
    : slice_(std::move(slice)),
      views_(std::move(views)),
      own_(std::move(own)),
      view_base_(first_of(views_, slice_.region.data())),
      own_base_(first_of(own_, view_base_)) {}

tl::expected<std::unique_ptr<SliceBacking>, std::string> make_slice_backing(BackingKind kind, ViewAddress view_address,
                                                                            SliceUse use) {
  if (kind == BackingKind::kPlain && use == SliceUse::kRecycled && !poison_is_active()) {
    return RecycledBacking::create(view_address);
  }
  give_back_parked_slices();
  if (kind == BackingKind::kMmu) return MmuBacking::create(view_address);
  return PlainBacking::create(view_address);
}

}  // namespace svmsim
