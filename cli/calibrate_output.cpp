// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/config/printable.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

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

// Where the points are from, and what measuring them left out.
std::string subject_text(const PointsSubject& subject, const Calibration& points) {
  if (subject.file) return fmt::format("{}: {}\n", printable(*subject.file), machine_text(points));
  const BoardPoints& measured = *subject.measured;
  std::string text = fmt::format("measured on {}{}, {} iterations: {}\n", printable(measured.library),
                                 measured.simulated ? " (simulated)" : "", measured.iterations, machine_text(points));
  if (!measured.left_out.empty()) text += "\nleft out:\n";
  for (const std::string& what : measured.left_out) text += fmt::format("  {}\n", printable(what));
  if (subject.process_end) {
    text += fmt::format("\nthe process of the measurement {}\n", printable(*subject.process_end));
  }
  return text;
}

void set_points(Json& document, const PointsSubject& subject) {
  document["points"] = subject.file ? Json(*subject.file) : Json(nullptr);
  document["measured"] = nullptr;
  if (!subject.measured) return;
  Json json;
  json["library"] = subject.measured->library;
  json["simulated"] = subject.measured->simulated;
  json["iterations"] = subject.measured->iterations;
  json["left_out"] = subject.measured->left_out;
  json["process_end"] = subject.process_end ? Json(*subject.process_end) : Json(nullptr);
  json["saved_points"] = subject.saved ? Json(*subject.saved) : Json(nullptr);
  document["measured"] = json;
}

std::string written_text(const std::optional<std::string>& path) {
  return path ? fmt::format("wrote {}\n", printable(*path)) : "";
}

}  // namespace

Json fit_json(const PointsSubject& subject, const FittedCalibration& fitted, const std::optional<std::string>& base,
              const std::optional<std::string>& output) {
  const std::vector<PointRow> rows = rows_of(fitted.calibration, fitted.calibration);
  Json document;
  set_points(document, subject);
  document["base"] = base ? Json(*base) : Json(nullptr);
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

std::string fit_text(const PointsSubject& subject, const FittedCalibration& fitted,
                     const std::optional<std::string>& output) {
  const std::vector<PointRow> rows = rows_of(fitted.calibration, fitted.calibration);
  TextTable terms({"term", "ps", "+-"});
  std::string reasons;
  for (const TermReport& term : fitted.terms) {
    terms.add({term.name, count_text(term.value.count()),
               term.uncertainty == Picoseconds(0) ? "-" : count_text(term.uncertainty.count())});
    if (!term.determined) reasons += fmt::format("  {}: {}\n", term.name, term.reason);
  }
  return fmt::format("{}\n{}\nnot determined by the points:\n{}\n{}\n{}{}{}", subject_text(subject, fitted.calibration),
                     terms.text(), reasons, rows_text(rows), worst_text(rows), written_text(subject.saved),
                     written_text(output));
}

Json distance_json(const PointsSubject& subject, const Calibration& points, const Calibration& calibration,
                   std::string_view map_cost) {
  const std::vector<PointRow> rows = rows_of(points, calibration);
  Json document;
  set_points(document, subject);
  document["calibration"] = calibration.name;
  set_machine(document, points);
  document["map_cost"] = map_cost;
  document["rows"] = rows_json(rows);
  document["worst_residual_percent"] = worst_json(rows);
  return document;
}

std::string distance_text(const PointsSubject& subject, const Calibration& points, const Calibration& calibration,
                          std::string_view map_cost) {
  const std::vector<PointRow> rows = rows_of(points, calibration);
  return fmt::format("{}calibration {}: {}; prices of mapping {}\n\n{}\n{}{}", subject_text(subject, points),
                     printable(calibration.name), machine_text(calibration), map_cost, rows_text(rows),
                     worst_text(rows), written_text(subject.saved));
}

}  // namespace svmsim
