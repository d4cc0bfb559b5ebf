// SPDX-License-Identifier: Apache-2.0
#include "cli/probe_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/conformance_output.h"
#include "sim/config/printable.h"

namespace svmsim {

namespace {

constexpr const char* kNotFound = "not found";

Json differences_json(const std::vector<FindingDifference>& differences) {
  Json all = Json::array();
  for (const FindingDifference& one : differences) {
    Json json;
    json["name"] = one.name;
    json["board"] = one.seen;
    json["platform"] = one.simulated.empty() ? Json(nullptr) : Json(one.simulated);
    all.push_back(json);
  }
  return all;
}

std::string difference_text(const FindingDifference& one, const std::string& platform) {
  return fmt::format("{}: '{}' here, '{}' on {}", one.name, one.seen, one.simulated.empty() ? kNotFound : one.simulated,
                     platform);
}

std::string findings_text(const std::vector<Finding>& findings) {
  const Finding header{"what", "found", "how"};
  std::size_t name_width = header.name.size();
  std::size_t value_width = header.value->size();
  const auto value_of = [](const Finding& one) { return printable(one.value.value_or(kNotFound)); };
  for (const Finding& one : findings) {
    name_width = std::max(name_width, one.name.size());
    value_width = std::max(value_width, value_of(one).size());
  }
  const auto line = [&](const Finding& one) {
    return fmt::format("{:<{}}  {:<{}}  {}\n", one.name, name_width, value_of(one), value_width, printable(one.how));
  };
  std::string text = line(header);
  for (const Finding& one : findings) text += line(one);
  return text;
}

std::string fit_text(const ProbeResult& result) {
  if (!result.missing.empty()) {
    return fmt::format("no platform can be named without {}\n", printable_list(result.missing));
  }
  if (result.fits.size() == 1) return fmt::format("platform {} fits\n", result.fits.front());
  if (!result.fits.empty()) {
    return fmt::format("platforms {} fit; a driver's answers do not tell them apart\n", printable_list(result.fits));
  }
  const NearestPlatform& nearest = *result.nearest;
  std::string text = fmt::format("no platform fits; nearest is {}:\n", nearest.platform);
  for (const FindingDifference& one : nearest.differences) {
    text += fmt::format("  {}\n", difference_text(one, nearest.platform));
  }
  if (!nearest.overlay.changes.empty()) {
    text += nearest.overlay.unexplained.empty() ? "it fits with:\n" : "it comes nearer with:\n";
    for (const PlatformChange& change : nearest.overlay.changes) {
      text += fmt::format("  {} = {}\n", change.key, change.value);
    }
  }
  return text;
}

}  // namespace

Json probe_json(const ProbeResult& result) {
  Json document;
  document["library"] = result.library;
  document["simulated"] = result.simulated;
  document["findings"] = Json::array();
  for (const Finding& one : result.findings) {
    Json json;
    json["name"] = one.name;
    json["value"] = one.value ? Json(*one.value) : Json(nullptr);
    json["how"] = one.how;
    json["compared"] = one.compared;
    document["findings"].push_back(json);
  }
  document["missing"] = result.missing;
  document["fits"] = result.fits;
  document["nearest"] = nullptr;
  if (result.nearest) {
    Json& nearest = document["nearest"];
    nearest["platform"] = result.nearest->platform;
    nearest["differences"] = differences_json(result.nearest->differences);
    nearest["changes"] = Json::array();
    for (const PlatformChange& change : result.nearest->overlay.changes) {
      Json json;
      json["key"] = change.key;
      json["value"] = change.value;
      nearest["changes"].push_back(json);
    }
    nearest["unexplained"] = differences_json(result.nearest->overlay.unexplained);
  }
  document["output"] = result.output ? Json(*result.output) : Json(nullptr);
  return document;
}

std::string probe_text(const ProbeResult& result) {
  std::string text =
      fmt::format("{}, {}\n\n{}\n{}", printable(result.library), result.simulated ? "a simulated board" : "a board",
                  findings_text(result.findings), fit_text(result));
  if (result.output) text += fmt::format("written: {}\n", printable(*result.output));
  return text;
}

std::string probed_platform_text(const ProbeResult& result, const std::string& name, const std::string& base,
                                 const ProbeOverlay& overlay) {
  std::string text = extending_platform_text("probe", printable(result.library), name, base, overlay.changes);
  if (overlay.unexplained.empty()) return text;
  text += "\n# No key says these; the simulated driver answers otherwise:\n";
  for (const FindingDifference& one : overlay.unexplained) {
    text += fmt::format("# {}\n", printable(difference_text(one, "this platform")));
  }
  return text;
}

}  // namespace svmsim
