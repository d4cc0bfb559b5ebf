// SPDX-License-Identifier: Apache-2.0
#include "cli/locations.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/config/fixture_file.h"

namespace svmsim {

namespace fs = std::filesystem;

namespace {

CliResult<std::string> find_file(const Locations& locations, const std::string& kind, const std::string& option,
                                 const std::string& argument) {
  if (names_a_path(argument)) return argument;
  const auto names = fixture_names(locations, kind);
  if (!names) return tl::unexpected(names.error());
  if (std::find(names->begin(), names->end(), argument) == names->end()) {
    return tl::unexpected(option_error(option, argument, allowed_fixtures(*names)));
  }
  return fixture_file(locations.fixtures, kind, argument);
}

template <typename T>
CliResult<T> or_cli_error(ConfigResult<T> result) {
  if (!result) return tl::unexpected(cli_error(result.error()));
  return std::move(*result);
}

}  // namespace

Locations default_locations() { return {SVMSIM_FIXTURES_DIR, SVMSIM_ORCHESTRATIONS_DIR}; }

CliResult<std::vector<std::string>> fixture_names(const Locations& locations, const std::string& kind) {
  auto names = fixture_names_in(locations.fixtures, kind);
  if (!names) {
    return tl::unexpected(option_error("--fixtures", locations.fixtures,
                                       fmt::format("a folder with a folder {}/ ({})", kind, names.error())));
  }
  return std::move(*names);
}

CliResult<Scene> find_scene(const Locations& locations, const std::string& argument) {
  return find_file(locations, "scenes", "SCENE", argument).and_then([](const std::string& path) {
    return or_cli_error(load_scene(path));
  });
}

CliResult<Scene> find_arguments(const std::string& path) { return or_cli_error(load_arguments(path)); }

CliResult<Platform> find_platform(const Locations& locations, const std::string& argument) {
  return find_file(locations, "platforms", "--platform", argument).and_then([&](const std::string& path) {
    return or_cli_error(load_platform(path, locations.fixtures));
  });
}

CliResult<Platform> find_board_platform(const Locations& locations, const std::string& argument) {
  auto platform = find_platform(locations, argument);
  if (platform && platform->personality == Personality::kIdentity) {
    return tl::unexpected(option_error("--platform", argument, "a platform with a driver that has rules"));
  }
  return platform;
}

CliResult<Calibration> find_calibration(const Locations& locations, const Platform& platform) {
  return or_cli_error(load_calibration_of(platform, locations.fixtures));
}

CliResult<Calibration> find_calibration(const Locations& locations, const std::string& option,
                                        const std::string& argument) {
  return find_file(locations, "calibrations", option, argument).and_then([](const std::string& path) {
    return or_cli_error(load_calibration(path));
  });
}

CliResult<FaultPlan> find_faults(const Locations& locations, const std::string& argument) {
  return find_file(locations, "faults", "--faults", argument).and_then([](const std::string& path) {
    return or_cli_error(load_fault_plan(path));
  });
}

std::string orchestration_path(const Locations& locations, const Scene& scene) {
  return (fs::path(locations.orchestrations) / (scene.orchestration + ".so")).string();
}

}  // namespace svmsim
