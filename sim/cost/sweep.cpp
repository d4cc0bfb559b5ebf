// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/sweep.h"
#include "sim/driver/acl_malloc.h"
#include "sim/driver/hal_flags.h"
#include "sim/driver/page_walk.h"

#include <fmt/format.h>

namespace svmsim {
namespace {

constexpr Bytes kMapSizes[] = {Bytes(64),      Bytes(4096),     Bytes(65536),    Bytes(262144),    Bytes(1048576),
                               Bytes(4194304), Bytes(16777216), Bytes(67108864), Bytes(268435456), Bytes(1073741824)};
constexpr Bytes kCopySizes[] = {Bytes(4),     Bytes(8),       Bytes(64),      Bytes(4096),
                                Bytes(65536), Bytes(1 << 20), Bytes(64 << 20)};

bool is_multiple(std::uint64_t value, Bytes unit) { return value % unit.count() == 0; }

// Why the driver of this platform refuses to map a block of ordinary pages, or nothing.
std::string ordinary_page_refusal(const Platform& platform, const MapCostRow& row) {
  const std::uint64_t device_page = platform.device_page.count();
  const std::uint64_t host_page = platform.host_page.count();
  if (platform.personality == Personality::kV2 && device_page != host_page) {
    return fmt::format("the driver refuses ordinary pages: the device page is {} bytes and the host page {}",
                       device_page, host_page);
  }
  if (platform.personality == Personality::kV3 && !is_multiple(row.pages * device_page, platform.host_page)) {
    return fmt::format("the driver refuses a block that is not a multiple of the host page of {} bytes", host_page);
  }
  if (platform.personality == Personality::kV3 && platform.fragmented && device_page < host_page) {
    return fmt::format("the driver refuses a block that is not physically contiguous in runs of {} bytes", host_page);
  }
  return {};
}

// Why there is no price for this row, or nothing.
std::string missing_cost(const Platform& platform, const Calibration& calibration, const MapCostRow& row) {
  if (row.bytes.count() == 0) return "a block has at least one byte";
  constexpr std::uint32_t kAnyDevice = 0;
  const std::uint64_t padded = p4_acl_malloc(row.bytes.count(), AclMallocPolicy::kHugeFirst, kAnyDevice).size;
  if (padded > platform.hbm.count()) return fmt::format("the device has {} bytes of memory", platform.hbm.count());
  if (!platform.host_map_path) return "the runner has no host-map path on this platform";
  if (platform.personality == Personality::kV2 && platform.host == HostKind::kVmWithoutWc) {
    return "the driver refuses every mapping: this virtual machine has no write-combining";
  }
  if (row.page_kind == PageKind::kOrdinary) {
    if (std::string refusal = ordinary_page_refusal(platform, row); !refusal.empty()) return refusal;
  }
  if (!calibration.map_measured) {
    return fmt::format("cost not measured: calibration {} has no prices for mapping", calibration.name);
  }
  return {};
}

MapCostRow map_row(const Platform& platform, const Calibration& calibration, Bytes bytes) {
  MapCostRow row;
  row.bytes = bytes;
  row.page_kind = acl_malloc_page_kind(bytes);
  const PageWalk walk = page_walk(bytes, row.page_kind, platform.device_page, platform.host_page);
  row.pages = walk.allocation_pages;
  row.reason = missing_cost(platform, calibration, row);
  if (!row.reason.empty()) return row;
  const CostModel model(calibration.parameters);
  row.register_cost = model.register_cost(walk);
  row.unregister_cost = model.unregister_cost(walk);
  row.pair_cost = *row.register_cost + *row.unregister_cost;
  return row;
}

}  // namespace

std::span<const Bytes> default_sweep_sizes() { return kMapSizes; }

PageKind acl_malloc_page_kind(Bytes bytes) {
  constexpr std::uint32_t kAnyDevice = 0;
  return page_kind(decode_alloc_flag(p4_acl_malloc(bytes.count(), AclMallocPolicy::kHugeFirst, kAnyDevice).flag));
}

CostSweep cost_sweep(const Platform& platform, const Calibration& calibration, std::span<const Bytes> sizes) {
  CostSweep sweep;
  sweep.map_cost_source = map_cost_source(platform, calibration);
  for (const Bytes bytes : sizes) sweep.map_rows.push_back(map_row(platform, calibration, bytes));
  const CostModel model(calibration.parameters);
  for (const Bytes bytes : kCopySizes) {
    for (const CopyDirection direction : {CopyDirection::kFromDevice, CopyDirection::kToDevice}) {
      sweep.copy_rows.push_back({bytes, direction, model.copy_cost(direction, bytes)});
    }
  }
  return sweep;
}

}  // namespace svmsim
