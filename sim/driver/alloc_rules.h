// SPDX-License-Identifier: Apache-2.0
// Page kinds, capabilities and the order of halMemAlloc's checks (P1, P2, R7), as pure functions: the one place where
// such a rule is written. From the public CANN driver source (hicann/driver ef377e9). Thread-safe.
#pragma once

#include <cstdint>

#include "sim/driver/hal_driver.h"
#include "sim/driver/hal_flags.h"
#include "sim/driver/span.h"

namespace svmsim {

// What the device and its host offer. R7: ordinary pages can be mapped over the BAR when device page and host page are
// equal and the host can write-combine; huge pages when it can write-combine.
struct Capabilities {
  bool bar_ordinary = false;
  bool bar_huge = false;
  bool giant_page = false;
  bool numa_ts = false;
};
[[nodiscard]] Capabilities r7_capabilities(const Platform& platform);
// R7 for one page kind; giant pages are mapped 2 MiB at a time and follow huge ones.
[[nodiscard]] bool r7_can_map(const Capabilities& capabilities, PageKind kind);

// P2: what the driver rounds a requested size to: 4 KiB also on a device of 64 KiB pages, 2 MiB, 1 GiB.
[[nodiscard]] Bytes p2_granularity(PageKind kind);

// P2: the checks of halMemAlloc in the driver's order; kNone when the request goes on to the allocator.
[[nodiscard]] DriverCode p2_check_v2(std::uint64_t size, const AllocFlag& flag, const Capabilities& capabilities);
[[nodiscard]] DriverCode p2_check_v3(std::uint64_t size, const AllocFlag& flag, const Capabilities& capabilities);

// halSupportFeature, without its side effect.
[[nodiscard]] bool feature_supported(Personality personality, std::uint32_t device_id, std::int32_t type);
// halMemCtl, both personalities: the masks follow the capabilities, on v3 too (where register does not, R7).
[[nodiscard]] MemCtlOutcome mem_ctl_answer(const Capabilities& capabilities, std::int32_t type, std::uint64_t mask,
                                           std::uint32_t device_id);

}  // namespace svmsim
