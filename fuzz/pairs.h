// SPDX-License-Identifier: Apache-2.0
// Pairs of ways to carry the same operations out that must agree. Each function carries them out in both and returns
// the first difference: operation, call, what either side said; empty when there is none. Thread-bound.
#pragma once

#include <functional>
#include <string>

#include "fuzz/driver_side.h"
#include "fuzz/loaded_side.h"
#include "property_tests/scenario.h"
#include "sim/dropin/environment.h"

namespace svmsim {

// Two scenarios that must look the same while they run: answers with every byte, driver calls with their times, and
// everything that a snapshot has. A failure against model or oracle is a difference too.
struct NamedScenario {
  std::string name;
  Scenario scenario;
};
[[nodiscard]] std::string compare_runs(const NamedScenario& one, const NamedScenario& other,
                                       const ScenarioPlatforms& platforms);
// A scenario on `mmu` memory and on `plain`. Races are left out: two threads may come in either order.
[[nodiscard]] std::string compare_backings(const Scenario& scenario, const ScenarioPlatforms& platforms);

// Two sides that are asked the calls of CallReader. What one finds wrong with itself is a difference too.
[[nodiscard]] std::string compare_sides(const Scenario& scenario, DriverSide& one, const std::string& name,
                                        DriverSide& other, const std::string& other_name);

// The machine in process against the drop-in libraries, loaded by a process of their own with the environment
// `variables`, and its report against theirs. Both begin the same when `environment` is what these variables ask for,
// with SVMSIM_REPORT=- among them. Takes some ten milliseconds. Precondition: LoadedSide::is_possible().
[[nodiscard]] std::string compare_loaded(const Scenario& scenario, const Environment& environment,
                                         const LoadedVariables& variables);

// The driver of a platform against DriverRules. `lenient` and `non_identity` count as false. `on_call` may be empty.
using OnDriverCall = std::function<void(const DriverCall&, const DriverAnswer&)>;
[[nodiscard]] std::string compare_with_rules(const Scenario& scenario, const Platform& platform,
                                             const OnDriverCall& on_call = {});

}  // namespace svmsim
