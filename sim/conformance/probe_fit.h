// SPDX-License-Identifier: Apache-2.0
// Which platforms a probed machine is like, and which keys make one like it. Pure functions, thread-safe.
#pragma once

#include <string>
#include <vector>

#include "sim/conformance/platform_keys.h"
#include "sim/conformance/probe.h"

namespace svmsim {

// What a platform answers otherwise.
struct FindingDifference {
  std::string name;
  std::string seen;
  std::string simulated;  // empty: not to be found there
};

// By name, the findings without which no platform can be named and that were not found: the driver, and whether it maps
// ordinary and huge pages.
[[nodiscard]] std::vector<std::string> missing_findings(const std::vector<Finding>& seen);

// Of the compared findings that were found. Empty: the platform fits.
[[nodiscard]] std::vector<FindingDifference> differences(const std::vector<Finding>& seen,
                                                         const std::vector<Finding>& simulated);

struct ProbeOverlay {
  std::vector<PlatformChange> changes;
  std::vector<FindingDifference> unexplained;
};
// Of all combinations of up to three keys the one that leaves the fewest differences, and of those one that changes the
// fewest keys of `base`. Not one key at a time: pages of 64 KiB on both sides are two, of which the first alone makes
// it worse.
[[nodiscard]] ProbeOverlay find_probe_overlay(const Platform& base, const std::vector<Finding>& seen,
                                              const AddressLayout& layout, HostPageSource source);

}  // namespace svmsim
