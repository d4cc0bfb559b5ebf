// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario_platforms.h"

#include <fmt/format.h>

#include "sim/config/printable.h"

namespace svmsim {

CliResult<ScenarioPlatforms> find_scenario_platforms(const Locations& locations) {
  if (const auto names = fixture_names(locations, "platforms"); !names) return tl::unexpected(names.error());
  auto platforms = load_scenario_platforms(locations.fixtures);
  if (!platforms) return tl::unexpected(cli_error(platforms.error()));
  if (platforms->empty()) {
    return tl::unexpected(option_error("--fixtures", locations.fixtures, "a folder with platforms in platforms/"));
  }
  return std::move(*platforms);
}

CliResult<void> check_platform(const Scenario& scenario, const std::string& file, const ScenarioPlatforms& platforms) {
  if (find_platform(platforms, scenario.platform) != nullptr) return {};
  const std::string found = fmt::format("\"{}\"", printable(scenario.platform, 80));
  return tl::unexpected(cli_error(ConfigError{file, 0, "platform", found, names_of(platforms)}));
}

std::string names_of(const ScenarioPlatforms& platforms) {
  std::string names;
  for (const ScenarioPlatform& entry : platforms) names += (names.empty() ? "" : ", ") + entry.platform.name;
  return names;
}

}  // namespace svmsim
