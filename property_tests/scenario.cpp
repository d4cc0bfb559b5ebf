// SPDX-License-Identifier: Apache-2.0
#include "property_tests/scenario.h"

#include <algorithm>

#include "sim/config/fixture_file.h"
#include "sim/cost/calibration.h"

namespace svmsim {

namespace {

ConfigResult<ScenarioPlatform> load_one(const std::string& fixtures, const std::string& name) {
  auto platform = load_platform(fixture_file(fixtures, "platforms", name), fixtures);
  if (!platform) return tl::unexpected(platform.error());
  const auto calibration = load_calibration_of(*platform, fixtures);
  if (!calibration) return tl::unexpected(calibration.error());
  platform->hbm = kScenarioHbm;
  return ScenarioPlatform{std::move(*platform), CostModel(calibration->parameters)};
}

}  // namespace

const ScenarioPlatform* find_platform(const ScenarioPlatforms& platforms, const std::string& name) {
  const auto found = std::find_if(platforms.begin(), platforms.end(),
                                  [&](const ScenarioPlatform& entry) { return entry.platform.name == name; });
  return found == platforms.end() ? nullptr : &*found;
}

ConfigResult<ScenarioPlatforms> load_scenario_platforms(const std::string& fixtures) {
  const auto names = fixture_names_in(fixtures, "platforms");
  if (!names) {
    return tl::unexpected(ConfigError{fixtures + "/platforms", 0, "", names.error(), "a folder of platforms"});
  }
  ScenarioPlatforms platforms;
  for (const std::string& name : *names) {
    auto platform = load_one(fixtures, name);
    if (!platform) return tl::unexpected(platform.error());
    if (platform->platform.personality != Personality::kIdentity) platforms.push_back(std::move(*platform));
  }
  return platforms;
}

}  // namespace svmsim
