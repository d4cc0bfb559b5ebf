// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/slice_backing.h"

#include "sim/memory/mmu_backing.h"
#include "sim/memory/plain_backing.h"

namespace svmsim {

tl::expected<std::unique_ptr<SliceBacking>, std::string> make_slice_backing(BackingKind kind,
                                                                            ViewAddress view_address) {
  if (kind == BackingKind::kMmu) return MmuBacking::create(view_address);
  return PlainBacking::create(view_address);
}

}  // namespace svmsim
