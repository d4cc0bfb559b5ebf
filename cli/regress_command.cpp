// SPDX-License-Identifier: Apache-2.0
// `svmsim regress`: scenes on a board, each in a process of its own, beside their simulation.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/board_process.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/option_value.h"
#include "cli/regress/board_scene.h"
#include "cli/regress/regress_output.h"
#include "cli/run_scene.h"
#include "cli/standard_streams.h"
#include "sim/config/printable.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kLongestScene = 86'400;
constexpr std::uint64_t kMostTolerance = 10'000;

struct RegressScene {
  BoardRequest request;  // for the process that works on the board
  RunSetup setup;        // for the simulation
};

struct RegressSetup {
  std::vector<RegressScene> scenes;
  BoardLibraries libraries;
  std::chrono::seconds timeout{};

  [[nodiscard]] BaselineSetup baseline() const {
    const RunSetup& first = scenes.front().setup;
    return {first.platform.name, svmrt::policy_name(first.policy), first.rounds, first.seed};
  }
};

bool has_all_data(const Scene& scene) {
  return std::all_of(scene.tensors.begin(), scene.tensors.end(),
                     [](const SceneTensor& tensor) { return tensor.has_data(); });
}

CliResult<std::vector<std::string>> scene_names(const Locations& locations, const RegressOptions& options) {
  if (!options.scenes.empty()) return options.scenes;
  auto known = fixture_names(locations, "scenes");
  if (known && known->empty()) {
    return tl::unexpected(
        option_error("--fixtures", locations.fixtures, "a folder with at least one scene in its scenes/"));
  }
  return known;
}

// A scene's name stands for it in report and baseline.
CliResult<void> check_name(const RegressSetup& all, const std::string& asked, const Scene& scene) {
  const auto same = [&](const RegressScene& other) { return other.setup.scene.name == scene.name; };
  if (std::none_of(all.scenes.begin(), all.scenes.end(), same)) return {};
  return tl::unexpected(option_error("SCENE", asked, fmt::format("one scene of the name '{}'", scene.name)));
}

CliResult<RegressSetup> regress_setup(const Locations& locations, const RegressOptions& options) {
  RegressSetup all;
  const auto timeout = integer_option("--timeout", options.timeout, 1, kLongestScene);
  if (!timeout) return tl::unexpected(timeout.error());
  all.timeout = std::chrono::seconds(*timeout);
  const auto names = scene_names(locations, options);
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    BoardRequest request;
    request.work = BoardWork::kScene;
    request.locations = locations;
    request.lib = options.lib;
    request.platform = options.platform;
    request.scene = name;
    request.policy = options.policy;
    request.rounds = options.rounds;
    request.seed = options.seed;
    auto setup = scene_setup(request);
    if (!setup) return tl::unexpected(setup.error());
    if (auto checked = check_name(all, name, setup->scene); !checked) return tl::unexpected(checked.error());
    all.scenes.push_back({std::move(request), std::move(*setup)});
  }
  auto libraries = find_board_libraries(options.lib, all.scenes.front().setup.platform);
  if (!libraries) return tl::unexpected(libraries.error());
  all.libraries = std::move(*libraries);
  return all;
}

// What the board showed. The error: there was none from the start, or nothing can be run on it.
CliResult<SceneRegression> run_scene_on_board(const RegressScene& asked, const RegressSetup& all, bool is_first,
                                              std::optional<bool>& simulated_clock) {
  SceneRegression scene;
  scene.scene = asked.setup.scene.name;
  const BoardAnswer answer = ask_board_host(asked.request, all.libraries, all.timeout);
  if (!answer.failure.empty()) scene.failure = "the process of the scene " + answer.failure;
  if (!answer.said) return scene;
  if (!*answer.said) {
    const CliError& error = answer.said->error();
    const bool is_absent = error.exit_code == ExitCode::kNoBoard;
    if (is_first && (is_absent || error.exit_code == ExitCode::kBadInput)) return tl::unexpected(error);
    scene.failure = (is_absent ? "there is no board any more: " : "") + error.message;
    return scene;
  }
  const auto report = read_board_report(**answer.said);
  if (!report) {
    scene.failure = "the process of the scene said: " + report.error().message;
    return scene;
  }
  simulated_clock = report->simulated_clock;
  scene.seen = report->seen;
  scene.log = report->log;
  if (report->device_lost && scene.failure.empty()) scene.failure = "the device was lost: " + report->seen.error;
  for (const std::string& violation : report->violations) scene.differences.push_back({"results", "none", violation});
  return scene;
}

void compare_with_simulation(const RunSetup& setup, SceneRegression& scene) {
  if (!scene.seen) return;
  const auto simulated = run_scene(setup);
  if (!simulated) {
    if (scene.failure.empty()) scene.failure = "the simulation: " + simulated.error().message;
    return;
  }
  const Observation expected = observe(*simulated);
  std::vector<Mismatch> found = differences(expected, *scene.seen);
  scene.differences.insert(scene.differences.end(), found.begin(), found.end());
  scene.phases = phases(expected, *scene.seen, has_all_data(setup.scene));
}

CliResult<RegressReport> regress(const RegressSetup& setup) {
  RegressReport report;
  report.setup = setup.baseline();
  report.library = setup.libraries.hal;
  report.asked = setup.scenes.size();
  for (const RegressScene& asked : setup.scenes) {
    if (Interruption::happened()) break;
    std::fprintf(stderr, "scene %zu of %zu: %s\n", report.scenes.size() + 1, report.asked,
                 printable(asked.setup.scene.name).c_str());
    auto ran = run_scene_on_board(asked, setup, report.scenes.empty(), report.simulated_clock);
    if (!ran) return tl::unexpected(ran.error());
    compare_with_simulation(asked.setup, *ran);
    report.scenes.push_back(std::move(*ran));
  }
  return report;
}

std::vector<Mismatch> compared(const Baseline& baseline, const SceneRegression& scene, const RegressReport& report) {
  const auto known = baseline.scenes.find(scene.scene);
  if (known == baseline.scenes.end()) return {{"scene", "none", "not in the baseline"}};
  if (!scene.seen) return {};
  const bool simulated = report.simulated_clock.value_or(baseline.simulated_clock);
  if (simulated == baseline.simulated_clock) {
    return baseline_differences(known->second, *scene.seen, report.tolerance_percent);
  }
  // Times by two clocks have nothing to do with each other.
  std::vector<Mismatch> found = differences(known->second, *scene.seen);
  found.push_back({"clock", clock_name(baseline.simulated_clock), clock_name(simulated)});
  return found;
}

// A baseline of what is not as simulated would hide it.
CliResult<void> write_baseline(OutputFile& file, RegressReport& report) {
  Baseline baseline{report.setup, report.simulated_clock.value_or(false), {}};
  for (const SceneRegression& scene : report.scenes) {
    if (!scene.as_simulated()) {
      print_error_line(fmt::format("no baseline is written: scene '{}' is not as simulated", scene.scene));
      return {};
    }
    baseline.scenes[scene.scene] = *scene.seen;
  }
  if (report.scenes.size() < report.asked) {
    print_error_line("no baseline is written: interrupted");
    return {};
  }
  file.write(baseline_text(baseline));
  if (const auto written = file.finish(); !written) return tl::unexpected(failure(written.error()));
  report.updated = true;
  return {};
}

}  // namespace

CliResult<CommandOutput> regress_command(const Locations& locations, const RegressOptions& options,
                                         OutputFormat format) {
  const auto tolerance = integer_option("--tolerance", options.tolerance, 0, kMostTolerance);
  if (!tolerance) return tl::unexpected(tolerance.error());
  const auto setup = regress_setup(locations, options);
  if (!setup) return tl::unexpected(setup.error());
  const Interruption interruption;  // neither a process nor an unfinished file is left behind
  // Both now: a board takes its time.
  std::unique_ptr<OutputFile> file;
  std::optional<Baseline> baseline;
  if (options.update) {
    auto created = output_option("--baseline", *options.baseline, *options.baseline);
    if (!created) return tl::unexpected(created.error());
    file = std::move(*created);
  } else if (options.baseline) {
    auto read = read_baseline(*options.baseline, setup->baseline());
    if (!read) return tl::unexpected(read.error());
    baseline = std::move(*read);
  }
  auto report = regress(*setup);
  if (!report) return tl::unexpected(report.error());
  report->baseline = options.baseline;
  report->tolerance_percent = *tolerance;
  if (file) {
    if (auto written = write_baseline(*file, *report); !written) return tl::unexpected(written.error());
  }
  if (baseline) {
    for (SceneRegression& scene : report->scenes) scene.baseline_differences = compared(*baseline, scene, *report);
  }
  const std::string text = format == OutputFormat::kJson ? document_text(regress_json(*report)) : regress_text(*report);
  return CommandOutput{text, report->passes() ? ExitCode::kFine : ExitCode::kFailed};
}

}  // namespace svmsim
