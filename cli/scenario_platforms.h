// SPDX-License-Identifier: Apache-2.0
// The platforms that scenarios may name, for the commands that run scenarios. Pure functions of the fixture folder,
// thread-safe.
#pragma once

#include <string>

#include "cli/cli_error.h"
#include "cli/locations.h"
#include "property_tests/scenario.h"

namespace svmsim {

// Not empty. A folder without platforms is an error of --fixtures.
[[nodiscard]] CliResult<ScenarioPlatforms> find_scenario_platforms(const Locations& locations);
// The error is of the scenario's `file` when it names none of the platforms.
[[nodiscard]] CliResult<void> check_platform(const Scenario& scenario, const std::string& file,
                                             const ScenarioPlatforms& platforms);
// "a2a3, a2a3-64k, …".
[[nodiscard]] std::string names_of(const ScenarioPlatforms& platforms);

}  // namespace svmsim
