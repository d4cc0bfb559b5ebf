// SPDX-License-Identifier: Apache-2.0
// Which keys of a platform make the simulated driver answer as another driver was seen to. Pure functions,
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "sim/conformance/platform_keys.h"
#include "sim/conformance/report.h"

namespace svmsim {

// A case that the changed platform answers otherwise.
struct UnexplainedCase {
  std::string script;
  CaseOutcome seen;
  CaseOutcome simulated;
};

struct Overlay {
  std::vector<PlatformChange> changes;
  std::vector<UnexplainedCase> unexplained;  // in the order of the scripts
};

// `seen`: what a driver answered to the scripts in the surroundings of `base`. Takes one key after the other, always
// the one that explains most of what is left, and none that makes a case differ that did not. Not compared are the
// cases that did not apply to the driver, and the addresses of views that lie elsewhere.
[[nodiscard]] Overlay find_overlay(const Platform& base, const std::vector<ConformanceScript>& scripts,
                                   const ConformanceReport& seen, const AddressLayout& layout);

}  // namespace svmsim
