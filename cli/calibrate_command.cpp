// SPDX-License-Identifier: Apache-2.0
// `svmsim calibrate`: points, from a file or a board, to a calibration, or how far a calibration is from points.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/board_points.h"
#include "cli/calibrate_output.h"
#include "cli/commands.h"
#include "cli/option_value.h"
#include "sim/cost/calibration_base.h"
#include "sim/cost/calibration_fit.h"
#include "sim/cost/calibration_text.h"
#include "sim/cost/points_file.h"
#include "sim/cost/points_text.h"
#include "sim/output/json_document.h"

namespace svmsim {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostIterations = 100'000;

// What is opened before points are measured, which takes its time. Either may be null.
struct CalibrateFiles {
  std::unique_ptr<OutputFile> points;
  std::unique_ptr<OutputFile> calibration;
  std::string name;  // of the calibration
};

CliResult<CalibrateFiles> open_files(const Locations& locations, const CalibrateOptions& options) {
  CalibrateFiles files;
  if (options.save_points) {
    auto opened = OutputFile::create(*options.save_points);
    if (!opened || fs::path(*options.save_points).extension() != ".csv") {
      return tl::unexpected(option_error("--save-points", *options.save_points,
                                         "a .csv file that can be written" + (opened ? "" : ": " + opened.error())));
    }
    files.points = std::move(*opened);
  }
  if (options.output) {
    const auto path = output_path(locations, "calibrations", *options.output);
    if (!path) return tl::unexpected(path.error());
    auto opened = output_option(*options.output, *path, options.points.value_or(""), "the points");
    if (!opened) return tl::unexpected(opened.error());
    files.calibration = std::move(*opened);
    files.name = fs::path(*path).stem().string();
  }
  return files;
}

CliResult<BoardPoints> measured_points(const Locations& locations, const CalibrateOptions& options) {
  const auto iterations = integer_option("--iterations", options.iterations, 1, kMostIterations);
  if (!iterations) return tl::unexpected(iterations.error());
  const auto platform = find_board_platform(locations, options.platform);
  if (!platform) return tl::unexpected(platform.error());
  const auto libraries = find_board_libraries(options.lib, *platform);
  if (!libraries) return tl::unexpected(libraries.error());
  return measure_board(*libraries, *platform, *iterations);
}

// The points and where they are from; saves them if they were measured.
CliResult<Calibration> take_points(const Locations& locations, const CalibrateOptions& options, CalibrateFiles& files,
                                   PointsSubject& subject) {
  if (options.points) {
    subject.file = options.points;
    return load_points(*options.points).map_error([](const ConfigError& error) { return cli_error(error); });
  }
  auto measured = measured_points(locations, options);
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
  return CommandOutput{text, ExitCode::kFine};
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
  return CommandOutput{text, ExitCode::kFine};
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
  auto files = open_files(locations, options);
  if (!files) return tl::unexpected(files.error());
  PointsSubject subject;
  const auto points = take_points(locations, options, *files, subject);
  if (!points) return tl::unexpected(points.error());
  return options.check ? distance_command(subject, *points, *other, format)
                       : fit_command(subject, *points, other, *files, format);
}

}  // namespace svmsim
