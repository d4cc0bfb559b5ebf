// SPDX-License-Identifier: Apache-2.0
// Where scenes, platforms, calibrations, fault plans and orchestrations are found: by name in the fixture folders, or
// by path (an argument with a slash or the ending .toml). Value type, thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "cli/cli_error.h"
#include "cli/scene/scene.h"
#include "sim/cost/calibration.h"
#include "sim/faults/fault_plan.h"
#include "sim/platform.h"

namespace svmsim {

struct Locations {
  std::string fixtures;        // folder with scenes/, platforms/, calibrations/, faults/
  std::string orchestrations;  // folder with the shared objects
};

// The folders of the build tree that this program came from.
[[nodiscard]] Locations default_locations();

// Names of the *.toml files of a fixture kind ("scenes", "platforms", "faults"), sorted. A folder that is not there is
// an error.
[[nodiscard]] CliResult<std::vector<std::string>> fixture_names(const Locations& locations, const std::string& kind);

// `argument` is a name or a path; an unknown name is an error that lists the known ones.
[[nodiscard]] CliResult<Scene> find_scene(const Locations& locations, const std::string& argument);
// Arguments for an orchestration that is named elsewhere; `path` is a path.
[[nodiscard]] CliResult<Scene> find_arguments(const std::string& path);
[[nodiscard]] CliResult<Platform> find_platform(const Locations& locations, const std::string& argument);
// One with a driver, which a board may be compared with.
[[nodiscard]] CliResult<Platform> find_board_platform(const Locations& locations, const std::string& argument);
// The calibration that the platform names.
[[nodiscard]] CliResult<Calibration> find_calibration(const Locations& locations, const Platform& platform);
// One that an option of the command names.
[[nodiscard]] CliResult<Calibration> find_calibration(const Locations& locations, const std::string& option,
                                                      const std::string& argument);
[[nodiscard]] CliResult<FaultPlan> find_faults(const Locations& locations, const std::string& argument);
// Path of the scene's shared object, which need not exist.
[[nodiscard]] std::string orchestration_path(const Locations& locations, const Scene& scene);

}  // namespace svmsim
