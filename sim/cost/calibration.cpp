// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "sim/config/fixture_file.h"
#include "sim/config/printable.h"
#include "sim/driver/page_walk.h"

namespace svmsim {
namespace {

constexpr Choice<std::string_view> kParameters[] = {
    {"register", "register"},
    {"unregister", "unregister"},
    {"failed_call", "failed_call"},
    {"copy_from_device", "copy_from_device"},
    {"copy_to_device", "copy_to_device"},
    {"set_memory", "set_memory"},
    {"allocate", "allocate"},
    {"free", "free"},
    {"view_load", "view_load"},
    {"view_store", "view_store"},
    {"launch", "launch"},
};

Picoseconds price(ConfigTable& table, std::string_view key) {
  return Picoseconds(table.integer<std::uint64_t>(key, 0, kMaxParameter.count()));
}

MapTerms read_map_terms(ConfigTable table) {
  return MapTerms{price(table, "call_ps"), price(table, "allocation_page_ps"), price(table, "host_page_ps")};
}

CopyTerms read_copy_terms(ConfigTable table) { return CopyTerms{price(table, "latency_ps"), price(table, "mib_ps")}; }

MeasuredCall read_call(ConfigTable& table, std::string_view prefix) {
  const auto key = [&](std::string_view name) { return fmt::format("{}{}", prefix, name); };
  const auto nanoseconds = [&](const std::string& name) {
    return Picoseconds(table.integer<std::uint64_t>(name, 1, kMaxPointNanoseconds) * 1000);
  };
  MeasuredCall call;
  if (table.has(key("min_ns"))) call.min = nanoseconds(key("min_ns"));
  call.median = nanoseconds(key("median_ns"));
  if (table.has(key("p99_ns"))) call.p99 = nanoseconds(key("p99_ns"));
  call.residual_percent = table.decimal(key("residual_percent"), -100, 1e6);
  return call;
}

MapPoint read_map_point(ConfigTable& table, Bytes device_page, Bytes host_page) {
  MapPoint point;
  point.bytes = Bytes(table.integer<std::uint64_t>("bytes", 1, kMaxPointBytes));
  point.page_kind = table.choice("page_kind", kPageKindWords);
  point.walk = page_walk(point.bytes, point.page_kind, device_page, host_page);
  if (table.integer<std::uint64_t>("pages", 1, kMaxPointBytes) != point.walk.allocation_pages) {
    table.reject("pages", fmt::format("{}, the pages of this kind in that many bytes", point.walk.allocation_pages));
  }
  point.register_call = read_call(table, "register_");
  point.unregister_call = read_call(table, "unregister_");
  return point;
}

CalibrationSource read_source(ConfigTable table) {
  CalibrationSource source;
  source.what = table.text("what");
  source.where = table.text("where");
  source.when = table.text("when");
  source.driver = table.text("driver");
  source.method = table.text("method");
  return source;
}

// Register and unregister apart: they may be missing.
CostParameters read_parameters(ConfigTable& table) {
  CostParameters parameters;
  parameters.copy_from_device = read_copy_terms(table.table("copy_from_device"));
  parameters.copy_to_device = read_copy_terms(table.table("copy_to_device"));
  parameters.set_memory = read_copy_terms(table.table("set_memory"));
  parameters.allocate = price(table, "allocate_ps");
  parameters.free = price(table, "free_ps");
  parameters.view_load = price(table, "view_load_ps");
  parameters.view_store = price(table, "view_store_ps");
  parameters.launch = price(table, "launch_ps");
  return parameters;
}

ConfigResult<Calibration> read_calibration(ConfigResult<ConfigReader> reader) {
  if (!reader) return tl::unexpected(std::move(reader.error()));
  ConfigTable root = reader->root();
  Calibration calibration;
  calibration.name = root.text("name");
  calibration.description = root.text("description");
  calibration.source = read_source(root.table("source"));
  calibration.personality = root.choice("personality", kPersonalityWords);
  calibration.device_page = Bytes(root.integer_choice("device_page", kPageSizes));
  calibration.host_page = Bytes(root.integer_choice("host_page", kPageSizes));

  ConfigTable parameters = root.table("parameters");
  const bool has_register = parameters.has("register");
  const bool has_unregister = parameters.has("unregister");
  calibration.map_measured = has_register || has_unregister;
  calibration.parameters = read_parameters(parameters);
  if (calibration.map_measured) {
    calibration.parameters.register_to_host = read_map_terms(parameters.table("register"));
    calibration.parameters.unregister_from_host = read_map_terms(parameters.table("unregister"));
  }

  for (ConfigTable& table : root.tables_or_empty("map_point")) {
    calibration.map_points.push_back(read_map_point(table, calibration.device_page, calibration.host_page));
  }
  for (ConfigTable& table : root.tables_or_empty("copy_point")) {
    CopyPoint point;
    point.direction = table.choice("direction", kDirectionWords);
    point.bytes = Bytes(table.integer<std::uint64_t>("bytes", 1, kMaxPointBytes));
    point.call = read_call(table, "");
    calibration.copy_points.push_back(point);
  }
  for (ConfigTable& table : root.tables_or_empty("view_point")) {
    ViewPoint point;
    point.access = table.choice("access", kViewAccessWords);
    point.accesses = table.integer<std::uint64_t>("accesses", 1, kMaxPointBytes);
    point.call = read_call(table, "");
    calibration.view_points.push_back(point);
  }
  for (ConfigTable& table : root.tables_or_empty("assumption")) {
    const std::string_view parameter = table.choice("parameter", kParameters);
    calibration.assumptions.push_back(Assumption{std::string(parameter), table.text("text")});
  }
  return reader->finish(std::move(calibration));
}

}  // namespace

ConfigResult<Calibration> load_calibration(const std::string& path) {
  return read_calibration(ConfigReader::open(path));
}

ConfigResult<Calibration> parse_calibration(std::string_view text, std::string file) {
  return read_calibration(ConfigReader::parse(text, std::move(file)));
}

ConfigResult<Calibration> load_calibration_of(const Platform& platform, const std::string& fixtures) {
  ConfigResult<Calibration> loaded = load_calibration(fixture_file(fixtures, "calibrations", platform.calibration));
  if (loaded || loaded.error().line > 0) return loaded;
  return tl::unexpected(ConfigError{platform.file, 0, "calibration",
                                    fmt::format("\"{}\"", printable(platform.calibration, 80)),
                                    fmt::format("the name of a calibration ({})", loaded.error().message())});
}

MapCostSource map_cost_source(const Platform& platform, const Calibration& calibration) {
  if (!calibration.map_measured) return MapCostSource::kNotMeasured;
  if (calibration.personality != platform.personality) return MapCostSource::kBorrowed;
  const bool same_pages =
      calibration.host_page == platform.host_page && calibration.device_page == platform.device_page;
  return same_pages ? MapCostSource::kMeasured : MapCostSource::kPredicted;
}

std::string_view name_of(MapCostSource source) {
  switch (source) {
    case MapCostSource::kMeasured:
      return "measured";
    case MapCostSource::kPredicted:
      return "predicted";
    case MapCostSource::kBorrowed:
      return "borrowed";
    case MapCostSource::kNotMeasured:
      return "not_measured";
  }
  std::abort();
}

std::vector<Assumption> platform_assumptions(const Platform& platform, const Calibration& calibration) {
  std::vector<Assumption> assumptions;
  if (!platform.host_map_path) {
    assumptions.push_back({"map and unmap (no host-map path)", "Nothing is ever mapped."});
  } else {
    switch (map_cost_source(platform, calibration)) {
      case MapCostSource::kMeasured:
        break;
      case MapCostSource::kPredicted:
        assumptions.push_back({"map and unmap (predicted)", "From the model, not measured at this host page size."});
        break;
      case MapCostSource::kBorrowed:
        assumptions.push_back({"map and unmap (borrowed)", "Measured on another driver generation."});
        break;
      case MapCostSource::kNotMeasured:
        assumptions.push_back({"map and unmap (cost not measured)", "Nothing is charged."});
        break;
    }
  }
  assumptions.insert(assumptions.end(), calibration.assumptions.begin(), calibration.assumptions.end());
  return assumptions;
}

}  // namespace svmsim
