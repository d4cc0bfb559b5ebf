// SPDX-License-Identifier: Apache-2.0
// `svmsim calibrate`: points to a calibration, or how far a calibration is from points.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/option_value.h"
#include "sim/config/printable.h"
#include "sim/cost/calibration_fit.h"
#include "sim/cost/calibration_text.h"
#include "sim/cost/points_file.h"
#include "sim/output/json_document.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

namespace fs = std::filesystem;

// One measured call as it is shown. Borrows the calibration.
struct PointRow {
  std::string_view call;
  std::uint64_t size = 0;  // bytes, or accesses through a view
  std::string_view page_kind;
  const MeasuredCall* measured = nullptr;
  Picoseconds model;
  bool priced = true;
};

std::vector<PointRow> rows_of(const Calibration& points, const Calibration& model_of) {
  const CostModel model(model_of.parameters);
  std::vector<PointRow> rows;
  const auto add_maps = [&](std::string_view call, MeasuredCall MapPoint::*measured, auto cost) {
    for (const MapPoint& point : points.map_points) {
      rows.push_back({call, point.bytes.count(), page_kind_name(point.page_kind), &(point.*measured), cost(point.walk),
                      model_of.map_measured});
    }
  };
  add_maps("register", &MapPoint::register_call, [&](PageWalk walk) { return model.register_cost(walk); });
  add_maps("unregister", &MapPoint::unregister_call, [&](PageWalk walk) { return model.unregister_cost(walk); });
  for (const CopyPoint& point : points.copy_points) {
    rows.push_back({word_of(kDirectionWords, point.direction), point.bytes.count(), "", &point.call,
                    model.copy_cost(point.direction, point.bytes), true});
  }
  for (const ViewPoint& point : points.view_points) {
    const bool load = point.access == ViewAccess::kLoad;
    rows.push_back({word_of(kViewAccessWords, point.access), point.accesses, "", &point.call,
                    model.view_access_cost(load ? point.accesses : 0, load ? 0 : point.accesses), true});
  }
  return rows;
}

// The row furthest from the model, or none.
const PointRow* worst_of(const std::vector<PointRow>& rows) {
  const PointRow* worst = nullptr;
  for (const PointRow& row : rows) {
    const auto off = [](const PointRow& of) { return std::abs(of.measured->residual_percent); };
    if (row.priced && (worst == nullptr || off(row) > off(*worst))) worst = &row;
  }
  return worst;
}

std::string percent_text(double percent) { return fmt::format("{:+.2f}", percent); }

Json rows_json(const std::vector<PointRow>& rows) {
  Json list = Json::array();
  const auto time = [](const std::optional<Picoseconds>& value) {
    return value ? microseconds(*value) : Json(nullptr);
  };
  for (const PointRow& row : rows) {
    const MeasuredCall& call = *row.measured;
    Json json;
    json["call"] = row.call;
    json["size"] = row.size;
    json["page_kind"] = row.page_kind.empty() ? Json(nullptr) : Json(row.page_kind);
    json["min_us"] = time(call.min);
    json["median_us"] = microseconds(call.median);
    json["p99_us"] = time(call.p99);
    json["model_us"] = row.priced ? microseconds(row.model) : Json(nullptr);
    json["residual_percent"] = row.priced ? Json(call.residual_percent) : Json(nullptr);
    json["left_out_percent"] = call.left_out_percent ? Json(*call.left_out_percent) : Json(nullptr);
    list.push_back(json);
  }
  return list;
}

Json worst_json(const std::vector<PointRow>& rows) {
  const PointRow* const worst = worst_of(rows);
  return worst == nullptr ? Json(nullptr) : Json(std::abs(worst->measured->residual_percent));
}

std::string rows_text(const std::vector<PointRow>& rows) {
  TextTable table({"call", "size", "kind", "min us", "median us", "p99 us", "model us", "residual %", "left out %"});
  const auto time = [](const std::optional<Picoseconds>& value) { return value ? microseconds_text(*value) : "-"; };
  for (const PointRow& row : rows) {
    const MeasuredCall& call = *row.measured;
    table.add({std::string(row.call), count_text(row.size), std::string(row.page_kind), time(call.min),
               microseconds_text(call.median), time(call.p99), row.priced ? microseconds_text(row.model) : "-",
               row.priced ? percent_text(call.residual_percent) : "-",
               call.left_out_percent ? percent_text(*call.left_out_percent) : "-"});
  }
  return table.text();
}

std::string worst_text(const std::vector<PointRow>& rows) {
  const PointRow* const worst = worst_of(rows);
  if (worst == nullptr) return "no point has a price\n";
  return fmt::format("worst residual {} % ({} of {})\n", percent_text(worst->measured->residual_percent), worst->call,
                     count_text(worst->size));
}

std::string machine_text(const Calibration& points) {
  return fmt::format("driver {}, host page {}, device page {}", word_of(kPersonalityWords, points.personality),
                     points.host_page.count(), points.device_page.count());
}

void set_machine(Json& document, const Calibration& points) {
  document["driver"] = word_of(kPersonalityWords, points.personality);
  document["host_page_bytes"] = points.host_page.count();
  document["device_page_bytes"] = points.device_page.count();
}

std::vector<std::string_view> undetermined(const std::vector<TermReport>& terms) {
  std::vector<std::string_view> names;
  for (const TermReport& term : terms) {
    if (!term.determined) names.push_back(term.name);
  }
  return names;
}

Json fit_json(const CalibrateOptions& options, const FittedCalibration& fitted, const std::vector<PointRow>& rows,
              const std::optional<std::string>& output) {
  Json document;
  document["points"] = options.points;
  document["output"] = output ? Json(*output) : Json(nullptr);
  set_machine(document, fitted.calibration);
  document["terms"] = Json::array();
  for (const TermReport& term : fitted.terms) {
    Json json;
    json["term"] = term.name;
    json["ps"] = term.value.count();
    json["uncertainty_ps"] = term.uncertainty.count();
    json["determined"] = term.determined;
    json["reason"] = term.determined ? Json(nullptr) : Json(term.reason);
    document["terms"].push_back(json);
  }
  document["undetermined"] = undetermined(fitted.terms);
  document["rows"] = rows_json(rows);
  document["worst_residual_percent"] = worst_json(rows);
  return document;
}

std::string fit_text(const CalibrateOptions& options, const FittedCalibration& fitted,
                     const std::vector<PointRow>& rows, const std::optional<std::string>& output) {
  TextTable terms({"term", "ps", "+-"});
  std::string reasons;
  for (const TermReport& term : fitted.terms) {
    terms.add({term.name, count_text(term.value.count()),
               term.uncertainty == Picoseconds(0) ? "-" : count_text(term.uncertainty.count())});
    if (!term.determined) reasons += fmt::format("  {}: {}\n", term.name, term.reason);
  }
  std::string text =
      fmt::format("{}: {}\n\n{}\nnot determined by the points:\n{}\n{}\n{}", printable(options.points),
                  machine_text(fitted.calibration), terms.text(), reasons, rows_text(rows), worst_text(rows));
  if (output) text += fmt::format("wrote {}\n", printable(*output));
  return text;
}

CliResult<CommandOutput> fit_command(const Locations& locations, const CalibrateOptions& options,
                                     const Calibration& points, OutputFormat format) {
  std::unique_ptr<OutputFile> file;
  std::string name;
  if (options.output) {
    const auto path = output_path(locations, "calibrations", *options.output);
    if (!path) return tl::unexpected(path.error());
    auto opened = output_option(*options.output, *path, options.points, "the points");
    if (!opened) return tl::unexpected(opened.error());
    file = std::move(*opened);
    name = fs::path(*path).stem().string();
  }
  auto fitted = fit_calibration(points);
  if (!fitted) return tl::unexpected(option_error("--points", options.points, "other points: " + fitted.error()));
  std::optional<std::string> output;
  if (file) {
    file->write(calibration_text(named_calibration(*fitted, name)));
    if (const auto written = file->finish(); !written) return tl::unexpected(failure(written.error()));
    output = file->path();
  }
  fitted->calibration = leave_one_out(std::move(fitted->calibration));
  const std::vector<PointRow> rows = rows_of(fitted->calibration, fitted->calibration);
  const std::string text = format == OutputFormat::kJson ? document_text(fit_json(options, *fitted, rows, output))
                                                         : fit_text(options, *fitted, rows, output);
  return CommandOutput{text, ExitCode::kFine};
}

// The points as the calibration prices them.
CliResult<CommandOutput> distance_command(const Locations& locations, const CalibrateOptions& options,
                                          Calibration points, OutputFormat format) {
  const auto calibration = find_calibration(locations, "--check", *options.check);
  if (!calibration) return tl::unexpected(calibration.error());
  Platform machine;
  machine.personality = points.personality;
  machine.host_page = points.host_page;
  machine.device_page = points.device_page;
  const std::string_view map_cost = name_of(map_cost_source(machine, *calibration));
  points.parameters = calibration->parameters;
  points = with_residuals(std::move(points));
  const std::vector<PointRow> rows = rows_of(points, *calibration);
  if (format == OutputFormat::kJson) {
    Json document;
    document["points"] = options.points;
    document["calibration"] = calibration->name;
    set_machine(document, points);
    document["map_cost"] = map_cost;
    document["rows"] = rows_json(rows);
    document["worst_residual_percent"] = worst_json(rows);
    return CommandOutput{document_text(document), ExitCode::kFine};
  }
  std::string text = fmt::format("{}: {}\ncalibration {}: {}; prices of mapping {}\n\n{}\n{}",
                                 printable(options.points), machine_text(points), printable(calibration->name),
                                 machine_text(*calibration), map_cost, rows_text(rows), worst_text(rows));
  return CommandOutput{text, ExitCode::kFine};
}

}  // namespace

CliResult<CommandOutput> calibrate_command(const Locations& locations, const CalibrateOptions& options,
                                           OutputFormat format) {
  const auto points = load_points(options.points);
  if (!points) return tl::unexpected(cli_error(points.error()));
  return options.check ? distance_command(locations, options, *points, format)
                       : fit_command(locations, options, *points, format);
}

}  // namespace svmsim
