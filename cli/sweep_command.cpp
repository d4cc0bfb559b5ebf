// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/option_value.h"
#include "cli/run_output.h"
#include "sim/cost/sweep.h"
#include "sim/output/json_document.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

std::string_view direction_name(CopyDirection direction) {
  return direction == CopyDirection::kFromDevice ? "d2h" : "h2d";
}

Json cost_json(const std::optional<Picoseconds>& cost) { return cost ? microseconds(*cost) : Json(nullptr); }

std::string cost_text(const std::optional<Picoseconds>& cost) { return cost ? microseconds_text(*cost) : "-"; }

Json sweep_json(const Platform& platform, const CostSweep& sweep) {
  Json document;
  document["platform"] = platform.name;
  document["calibration"] = platform.calibration;
  document["rows"] = Json::array();
  for (const MapCostRow& row : sweep.map_rows) {
    Json json;
    json["bytes"] = row.bytes.count();
    json["page_kind"] = page_kind_name(row.page_kind);
    json["pages"] = row.pages;
    json["register_us"] = cost_json(row.register_cost);
    json["unregister_us"] = cost_json(row.unregister_cost);
    json["pair_us"] = cost_json(row.pair_cost);
    document["rows"].push_back(json);
  }
  document["copy"] = Json::array();
  for (const CopyCostRow& row : sweep.copy_rows) {
    Json json;
    json["bytes"] = row.bytes.count();
    json["direction"] = direction_name(row.direction);
    json["us"] = microseconds(row.cost);
    document["copy"].push_back(json);
  }
  return document;
}

std::string sweep_text(const Platform& platform, const Calibration& calibration, const CostSweep& sweep) {
  std::string text = fmt::format("{}, calibration {}\n\n", platform.name, platform.calibration);
  TextTable maps({"bytes", "pages", "kind", "register us", "unregister us", "pair us"});
  std::string reasons;
  for (const MapCostRow& row : sweep.map_rows) {
    maps.add({count_text(row.bytes.count()), count_text(row.pages), std::string(page_kind_name(row.page_kind)),
              cost_text(row.register_cost), cost_text(row.unregister_cost), cost_text(row.pair_cost)});
    if (!row.reason.empty()) reasons += fmt::format("{} bytes: {}\n", count_text(row.bytes.count()), row.reason);
  }
  TextTable copies({"bytes", "direction", "us"});
  for (const CopyCostRow& row : sweep.copy_rows) {
    copies.add(
        {count_text(row.bytes.count()), std::string(direction_name(row.direction)), microseconds_text(row.cost)});
  }
  text += maps.text() + reasons + "\n" + copies.text() + "\nnot measured:\n";
  for (const Assumption& assumption : platform_assumptions(platform, calibration)) {
    text += fmt::format("  {}: {}\n", assumption.parameter, assumption.text);
  }
  return text;
}

}  // namespace

CliResult<CommandOutput> sweep_command(const Locations& locations, const SweepOptions& options, OutputFormat format) {
  constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 40;
  const auto platform = find_platform(locations, options.platform);
  if (!platform) return tl::unexpected(platform.error());
  const auto calibration = find_calibration(locations, *platform);
  if (!calibration) return tl::unexpected(calibration.error());
  std::vector<Bytes> sizes(default_sweep_sizes().begin(), default_sweep_sizes().end());
  if (options.sizes) {
    const auto asked = integers_option("--sizes", *options.sizes, 1, kLargestSize);
    if (!asked) return tl::unexpected(asked.error());
    sizes.clear();
    for (const std::uint64_t size : *asked) sizes.emplace_back(size);
  }
  const CostSweep sweep = cost_sweep(*platform, *calibration, sizes);
  const std::string text = format == OutputFormat::kJson ? document_text(sweep_json(*platform, sweep))
                                                         : sweep_text(*platform, *calibration, sweep);
  return CommandOutput{text, ExitCode::kFine};
}

}  // namespace svmsim
