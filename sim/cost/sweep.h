// SPDX-License-Identifier: Apache-2.0
// What mapping and copying cost on a platform, size by size: the numbers of `svmsim sweep`, computed from the model
// without running a machine. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/units.h"
#include "sim/cost/calibration.h"
#include "sim/cost/cost_model.h"
#include "sim/platform.h"

namespace svmsim {

// One mapping of a whole block that was allocated for `bytes`.
struct MapCostRow {
  Bytes bytes;
  PageKind page_kind = PageKind::kOrdinary;
  std::uint64_t pages = 0;  // pages of the block over `bytes`
  std::optional<Picoseconds> register_cost;
  std::optional<Picoseconds> unregister_cost;
  std::optional<Picoseconds> pair_cost;  // their sum
  std::string reason;                    // why the three are absent; empty when they are present
};

struct CopyCostRow {
  Bytes bytes;
  CopyDirection direction = CopyDirection::kFromDevice;
  Picoseconds cost;
};

struct CostSweep {
  MapCostSource map_cost_source = MapCostSource::kMeasured;
  std::vector<MapCostRow> map_rows;    // in the order of the sizes asked for
  std::vector<CopyCostRow> copy_rows;  // 4 B to 64 MiB, from the device first at each size
};

// 64 B to 1 GiB, ten sizes.
[[nodiscard]] std::span<const Bytes> default_sweep_sizes();

// The page kind that aclrtMalloc with HUGE_FIRST takes for `bytes`: it pads the size to the next multiple of 32 and
// adds 32, and takes huge pages strictly above 1 MiB. So more than 1 MiB - 32 bytes are huge.
[[nodiscard]] PageKind acl_malloc_page_kind(Bytes bytes);

// Any sizes, also ones that the platform cannot allocate: their rows have a reason.
[[nodiscard]] CostSweep cost_sweep(const Platform& platform, const Calibration& calibration,
                                   std::span<const Bytes> sizes);

}  // namespace svmsim
