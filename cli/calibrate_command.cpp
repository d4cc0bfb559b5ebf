// SPDX-License-Identifier: Apache-2.0
// `svmsim calibrate`: points, from a file or a board, to a calibration, or how far a calibration is from points.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/board_points.h"
#include "cli/board_process.h"
#include "cli/calibrate_output.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/option_value.h"
#include "cli/standard_streams.h"
#include "sim/config/input_files.h"
#include "sim/cost/calibration_base.h"
#include "sim/cost/calibration_fit.h"
#include "sim/cost/calibration_text.h"
#include "sim/cost/points_file.h"
#include "sim/cost/points_text.h"
#include "sim/output/json_document.h"

namespace svmsim {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestMeasurement = 86'400;  // seconds of --timeout

// What points are measured with, each option looked at before a file is opened or a library loaded.
struct MeasureSetup {
  BoardRequest request;
  BoardLibraries libraries;
  std::chrono::seconds timeout{};
};

// What is opened before points are measured, which takes its time. Either may be null.
struct CalibrateFiles {
  std::unique_ptr<OutputFile> points;
  std::unique_ptr<OutputFile> calibration;
  std::string name;  // of the calibration
};

CliResult<MeasureSetup> measure_setup(const Locations& locations, const CalibrateOptions& options) {
  const auto timeout = integer_option("--timeout", options.timeout, 1, kLongestMeasurement);
  if (!timeout) return tl::unexpected(timeout.error());
  MeasureSetup setup;
  setup.request.work = BoardWork::kPoints;
  setup.request.locations = locations;
  setup.request.lib = options.lib;
  setup.request.platform = options.platform;
  setup.request.iterations = options.iterations;
  auto points = points_setup(setup.request);
  if (!points) return tl::unexpected(points.error());
  setup.libraries = std::move(points->libraries);
  setup.timeout = std::chrono::seconds(*timeout);
  return setup;
}

CliResult<CalibrateFiles> open_files(const Locations& locations, const CalibrateOptions& options) {
  CalibrateFiles files;
  if (options.save_points) {
    if (fs::path(*options.save_points).extension() != ".csv") {
      return tl::unexpected(option_error("--save-points", *options.save_points, "a .csv file"));
    }
    auto opened = output_option("--save-points", *options.save_points, *options.save_points);
    if (!opened) return tl::unexpected(opened.error());
    files.points = std::move(*opened);
  }
  if (options.output) {
    const auto path = output_path(locations, "calibrations", *options.output);
    if (!path) return tl::unexpected(path.error());
    auto opened = output_option("--output", *options.output, *path);
    if (!opened) return tl::unexpected(opened.error());
    files.calibration = std::move(*opened);
    if (files.points && files.points->path() == files.calibration->path()) {
      return tl::unexpected(option_error("--output", *options.output, "another file than --save-points writes"));
    }
    files.name = fs::path(*path).stem().string();
  }
  return files;
}

// In a process of its own. What it said counts also when it did not end well, which the subject then has.
CliResult<BoardPoints> measured_points(const MeasureSetup& setup, PointsSubject& subject) {
  const BoardAnswer answer = ask_board_host(setup.request, setup.libraries, setup.timeout);
  clear_step();  // of a process that came to no end
  if (Interruption::happened()) return tl::unexpected(failure("interrupted"));
  if (!answer.said) return tl::unexpected(failure("the process of the measurement " + answer.failure));
  auto points = answer.said->and_then(read_board_points);
  if (points && !answer.failure.empty()) subject.process_end = answer.failure;
  return points;
}

// The points and where they are from; saves them if they were measured, by `setup`.
CliResult<Calibration> take_points(const CalibrateOptions& options, const MeasureSetup& setup, CalibrateFiles& files,
                                   PointsSubject& subject) {
  if (options.points) {
    subject.file = options.points;
    return load_points(*options.points).map_error([](const ConfigError& error) { return cli_error(error); });
  }
  auto measured = measured_points(setup, subject);
  if (!measured) return tl::unexpected(measured.error());
  if (files.points) {
    files.points->write(points_text(measured->points));
    if (const auto written = files.points->finish(); !written) return tl::unexpected(failure(written.error()));
    subject.saved = files.points->path();
  }
  Calibration points = measured->points;
  subject.measured = std::move(*measured);
  return points;
}

// A board whose process did not end well is no fine one, whatever it measured.
ExitCode exit_code(const PointsSubject& subject) { return subject.process_end ? ExitCode::kFailed : ExitCode::kFine; }

CliResult<CommandOutput> fit_command(const PointsSubject& subject, const Calibration& points,
                                     const std::optional<Calibration>& base, CalibrateFiles& files,
                                     OutputFormat format) {
  auto fitted = fit_calibration(points);
  if (!fitted) {
    return tl::unexpected(subject.file ? option_error("--points", *subject.file, "other points: " + fitted.error())
                                       : failure("the measured points are of no use: " + fitted.error()));
  }
  if (base) fitted = with_base(std::move(*fitted), *base);
  std::optional<std::string> output;
  if (files.calibration) {
    files.calibration->write(calibration_text(named_calibration(*fitted, files.name)));
    if (const auto written = files.calibration->finish(); !written) return tl::unexpected(failure(written.error()));
    output = files.calibration->path();
  }
  fitted->calibration = leave_one_out(std::move(fitted->calibration));
  const std::optional<std::string> base_name = base ? std::optional(base->name) : std::nullopt;
  const std::string text = format == OutputFormat::kJson ? document_text(fit_json(subject, *fitted, base_name, output))
                                                         : fit_text(subject, *fitted, output);
  return CommandOutput{text, exit_code(subject)};
}

// The points as the calibration prices them.
CliResult<CommandOutput> distance_command(const PointsSubject& subject, Calibration points,
                                          const Calibration& calibration, OutputFormat format) {
  Platform machine;
  machine.personality = points.personality;
  machine.host_page = points.host_page;
  machine.device_page = points.device_page;
  const std::string_view map_cost = name_of(map_cost_source(machine, calibration));
  points.parameters = calibration.parameters;
  points = with_residuals(std::move(points));
  const std::string text = format == OutputFormat::kJson
                               ? document_text(distance_json(subject, points, calibration, map_cost))
                               : distance_text(subject, points, calibration, map_cost);
  return CommandOutput{text, exit_code(subject)};
}

}  // namespace

CliResult<CommandOutput> calibrate_command(const Locations& locations, const CalibrateOptions& options,
                                           OutputFormat format) {
  std::optional<Calibration> other;
  if (options.check || options.base) {
    auto found = find_calibration(locations, options.check ? "--check" : "--base",
                                  options.check ? *options.check : *options.base);
    if (!found) return tl::unexpected(found.error());
    other = std::move(*found);
  }
  CliResult<MeasureSetup> setup;
  if (!options.points) setup = measure_setup(locations, options);
  if (!setup) return tl::unexpected(setup.error());
  if (options.points) note_input_file(*options.points);
  const Interruption interruption;  // neither a process nor an unfinished file is left behind
  auto files = open_files(locations, options);
  if (!files) return tl::unexpected(files.error());
  PointsSubject subject;
  const auto points = take_points(options, *setup, *files, subject);
  if (!points) return tl::unexpected(points.error());
  if (subject.process_end) print_error_line("the process of the measurement " + *subject.process_end);
  return options.check ? distance_command(subject, *points, *other, format)
                       : fit_command(subject, *points, other, *files, format);
}

}  // namespace svmsim
