// SPDX-License-Identifier: Apache-2.0
// What `svmsim probe` prints and writes. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/conformance/probe_fit.h"
#include "sim/output/json_document.h"

namespace svmsim {

// What no platform fits exactly is nearest to.
struct NearestPlatform {
  std::string platform;
  std::vector<FindingDifference> differences;
  ProbeOverlay overlay;  // what would make it fit
};

struct ProbeResult {
  std::string library;  // where the loader found it
  bool simulated = false;
  std::vector<Finding> findings;
  std::vector<std::string> missing;  // findings without which no platform can be named
  std::vector<std::string> fits;     // names of platforms
  std::optional<NearestPlatform> nearest;
  std::optional<std::string> output;  // the file that was written
};

[[nodiscard]] Json probe_json(const ProbeResult& result);
[[nodiscard]] std::string probe_text(const ProbeResult& result);

// A platform file that extends `base`, called after `name`, with the keys of `overlay`; what they do not explain stands
// in comments.
[[nodiscard]] std::string probed_platform_text(const ProbeResult& result, const std::string& name,
                                               const std::string& base, const ProbeOverlay& overlay);

}  // namespace svmsim
