// SPDX-License-Identifier: Apache-2.0
#include "fuzz/input_format.h"

#include <utility>

#include "cli/check_report.h"
#include "cli/scenario_platforms.h"
#include "cli/scene/scene.h"
#include "fuzz/fixtures_folder.h"
#include "fuzz/input_use.h"
#include "fuzz/platforms_or_exit.h"
#include "property_tests/scenario_file.h"
#include "sim/conformance/script.h"
#include "sim/cost/calibration.h"
#include "sim/cost/points_file.h"
#include "sim/faults/fault_plan.h"
#include "sim/platform.h"

namespace svmsim {

namespace {

using Wrong = std::optional<CliError>;

template <typename T>
Wrong used(const ConfigResult<T>& parsed) {
  if (!parsed) return cli_error(parsed.error());
  return use(*parsed);
}

constexpr InputFormat kFormats[] = {
    {'p', "platforms", ".toml",
     [](std::string_view text, const std::string& file) { return used(parse_platform(text, file)); }},
    {'c', "calibrations", ".toml",
     [](std::string_view text, const std::string& file) { return used(parse_calibration(text, file)); }},
    {'k', "calibrations", ".csv",
     [](std::string_view text, const std::string& file) -> Wrong {
       const auto points = parse_points(text, file);
       return points ? use_points(*points) : cli_error(points.error());
     }},
    {'f', "faults", ".toml",
     [](std::string_view text, const std::string& file) { return used(parse_fault_plan(text, file)); }},
    {'s', "scenes", ".toml",
     [](std::string_view text, const std::string& file) { return used(parse_scene(text, file)); }},
    {'a', "scenes", ".toml",
     [](std::string_view text, const std::string& file) { return used(parse_arguments(text, file)); }},
    {'r', "conformance", ".toml",
     [](std::string_view text, const std::string& file) { return used(parse_conformance_script(text, file)); }},
    {'b', "bugs", ".toml",
     [](std::string_view text, const std::string& file) -> Wrong {
       const auto scenario = parse_scenario(text, file);
       if (!scenario) return cli_error(scenario.error());
       const auto known = check_platform(*scenario, file, platforms_or_exit());
       return known ? use(*scenario) : known.error();
     }},
    {'m', "reports", ".json",
     [](std::string_view text, const std::string& file) -> Wrong {
       const auto report = parse_check_report(text, file);
       if (!report) return report.error();
       return use(*report);
     }},
};

}  // namespace

std::string InputFormat::file() const { return fixtures_folder() + "/" + std::string(folder) + "/fuzzed.file"; }

std::span<const InputFormat> input_formats() { return kFormats; }

const InputFormat& input_format(unsigned char first) {
  for (const InputFormat& format : kFormats) {
    if (format.letter == static_cast<char>(first)) return format;
  }
  return kFormats[first % std::size(kFormats)];
}

}  // namespace svmsim
