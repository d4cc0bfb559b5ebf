// SPDX-License-Identifier: Apache-2.0
// Scenarios that between them use every operation, region, call and setting, and that nothing fails in. For tests.
// Pure function, thread-safe.
#pragma once

#include <vector>

#include "property_tests/scenario.h"

namespace svmsim {

// Each with a name of its own.
[[nodiscard]] std::vector<Scenario> scenario_samples();

}  // namespace svmsim
