// SPDX-License-Identifier: Apache-2.0
// A scenario as C++ to paste into a test: a failure that was found becomes a literal list there. Pure function,
// thread-safe.
#pragma once

#include <string>

#include "property_tests/scenario.h"

namespace svmsim {

// A GoogleTest test that builds the scenario and demands that nothing fails. It stands in namespace svmsim, in a file
// that includes "property_tests/harness.h" and has a function platforms() that returns the ScenarioPlatforms. Named
// after the scenario: "free-in-use" becomes FreeInUse.
[[nodiscard]] std::string scenario_code(const Scenario& scenario);

}  // namespace svmsim
