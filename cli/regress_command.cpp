// SPDX-License-Identifier: Apache-2.0
// `svmsim regress`: scenes on a board, each in a process of its own, beside their simulation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/option_value.h"
#include "cli/regress/board_process.h"
#include "cli/regress/board_scene.h"
#include "cli/regress/regress_output.h"
#include "cli/run_scene.h"
#include "cli/standard_streams.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kMostRegressRounds = 100;
constexpr std::uint64_t kLongestScene = 86'400;
constexpr std::uint64_t kMostTolerance = 10'000;

struct RegressSetup {
  std::vector<RunSetup> scenes;
  BoardLibraries libraries;
  unsigned timeout = 0;  // seconds
};

bool has_all_data(const Scene& scene) {
  return std::all_of(scene.tensors.begin(), scene.tensors.end(),
                     [](const SceneTensor& tensor) { return tensor.has_data(); });
}

// What all scenes have in common.
CliResult<RunSetup> common_setup(const Locations& locations, const RegressOptions& options) {
  RunSetup setup;
  auto platform = find_board_platform(locations, options.platform);
  if (!platform) return tl::unexpected(platform.error());
  setup.platform = std::move(*platform);
  auto calibration = find_calibration(locations, setup.platform);
  if (!calibration) return tl::unexpected(calibration.error());
  setup.calibration = std::move(*calibration);
  if (auto read = read_run_options(options.policy, options.rounds, kMostRegressRounds, options.seed, setup); !read) {
    return tl::unexpected(read.error());
  }
  return setup;
}

CliResult<RegressSetup> regress_setup(const Locations& locations, const RegressOptions& options) {
  RegressSetup all;
  const auto timeout = integer_option("--timeout", options.timeout, 1, kLongestScene);
  if (!timeout) return tl::unexpected(timeout.error());
  all.timeout = static_cast<unsigned>(*timeout);
  const auto common = common_setup(locations, options);
  if (!common) return tl::unexpected(common.error());
  std::vector<std::string> names = options.scenes;
  if (names.empty()) {
    auto known = fixture_names(locations, "scenes");
    if (!known) return tl::unexpected(known.error());
    names = std::move(*known);
  }
  for (const std::string& name : names) {
    auto scene = find_scene(locations, name);
    if (!scene) return tl::unexpected(scene.error());
    RunSetup& setup = all.scenes.emplace_back(*common);
    setup.orchestration_file = orchestration_path(locations, *scene);
    setup.scene = std::move(*scene);
  }
  auto libraries = find_board_libraries(options.lib, common->platform);
  if (!libraries) return tl::unexpected(libraries.error());
  all.libraries = std::move(*libraries);
  return all;
}

// What the board showed. The error: there was none from the start, or the scene cannot be run anywhere.
CliResult<SceneRegression> run_scene_on_board(const RunSetup& setup, const RegressSetup& all, bool is_first,
                                              bool& simulated_clock) {
  SceneRegression scene;
  scene.scene = setup.scene.name;
  const ProcessOutcome outcome = run_in_process([&] { return board_report_text(run_on_board(setup, all.libraries)); },
                                                all.libraries.environment, all.timeout);
  if (!outcome.failure.empty()) scene.failure = "the process of the scene " + outcome.failure;
  if (outcome.text.empty() && !scene.failure.empty()) return scene;
  const auto report = read_board_report(outcome.text);
  if (!report) {
    if (scene.failure.empty()) scene.failure = "the process of the scene said: " + report.error().message;
    return scene;
  }
  if (!report->absent.empty()) {
    if (is_first) return tl::unexpected(absent_board(all.libraries, report->absent));
    scene.failure = "there is no board any more: " + report->absent;
    return scene;
  }
  if (!report->unfit.empty()) return tl::unexpected(failure(report->unfit));
  simulated_clock = report->simulated_clock;
  scene.seen = report->seen;
  scene.log = report->log;
  if (report->device_lost && scene.failure.empty()) scene.failure = "the device was lost: " + report->seen.error;
  for (const std::string& violation : report->violations) scene.differences.push_back({"results", "none", violation});
  return scene;
}

CliResult<void> compare_with_simulation(const RunSetup& setup, SceneRegression& scene) {
  if (!scene.seen) return {};
  const auto simulated = run_scene(setup);
  if (!simulated) return tl::unexpected(simulated.error());
  const Observation expected = observe(*simulated);
  std::vector<Mismatch> found = differences(expected, *scene.seen);
  scene.differences.insert(scene.differences.end(), found.begin(), found.end());
  scene.phases = phases(expected, *scene.seen, has_all_data(setup.scene));
  return {};
}

// Boards first: once this process has simulated anything, its children may lack the addresses that a simulated board
// wants.
CliResult<RegressReport> regress(const RegressSetup& setup) {
  const Interruption interruption;
  RegressReport report;
  const RunSetup& first = setup.scenes.front();
  report.setup = {first.platform.name, svmrt::policy_name(first.policy), first.rounds, first.seed, false};
  report.library = setup.libraries.hal;
  report.asked = setup.scenes.size();
  for (const RunSetup& scene : setup.scenes) {
    if (Interruption::happened()) break;
    std::fprintf(stderr, "scene %zu of %zu: %s\n", report.scenes.size() + 1, report.asked, scene.scene.name.c_str());
    auto ran = run_scene_on_board(scene, setup, report.scenes.empty(), report.setup.simulated_clock);
    if (!ran) return tl::unexpected(ran.error());
    report.scenes.push_back(std::move(*ran));
  }
  for (std::size_t i = 0; i < report.scenes.size(); ++i) {
    if (auto compared = compare_with_simulation(setup.scenes[i], report.scenes[i]); !compared) {
      return tl::unexpected(compared.error());
    }
  }
  return report;
}

CliResult<void> compare_with_baseline(const std::string& path, RegressReport& report) {
  const auto baseline = read_baseline(path, report.setup);
  if (!baseline) return tl::unexpected(baseline.error());
  for (SceneRegression& scene : report.scenes) {
    const auto known = baseline->scenes.find(scene.scene);
    if (known == baseline->scenes.end()) {
      scene.baseline_differences.push_back({"scene", "none", "not in the baseline"});
    } else if (scene.seen) {
      scene.baseline_differences = baseline_differences(known->second, *scene.seen, report.tolerance_percent);
    }
  }
  return {};
}

// A baseline of what is not as simulated would hide it.
CliResult<void> write_baseline(OutputFile& file, RegressReport& report) {
  Baseline baseline{report.setup, {}};
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
  if (options.update && !options.baseline) {
    return tl::unexpected(option_error("--update", "", "with --baseline, which names the file to write"));
  }
  const auto setup = regress_setup(locations, options);
  if (!setup) return tl::unexpected(setup.error());
  std::unique_ptr<OutputFile> file;  // now: a board takes its time
  if (options.update) {
    auto created = output_option(*options.baseline, *options.baseline, setup->scenes.front().platform.file,
                                 "the platform that is simulated");
    if (!created) return tl::unexpected(created.error());
    file = std::move(*created);
  }
  auto report = regress(*setup);
  if (!report) return tl::unexpected(report.error());
  report->baseline = options.baseline;
  report->tolerance_percent = *tolerance;
  if (file) {
    if (auto written = write_baseline(*file, *report); !written) return tl::unexpected(written.error());
  } else if (options.baseline) {
    if (auto compared = compare_with_baseline(*options.baseline, *report); !compared) {
      return tl::unexpected(compared.error());
    }
  }
  const std::string text = format == OutputFormat::kJson ? document_text(regress_json(*report)) : regress_text(*report);
  return CommandOutput{text, report->passes() ? ExitCode::kFine : ExitCode::kFailed};
}

}  // namespace svmsim
