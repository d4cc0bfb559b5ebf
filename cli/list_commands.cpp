// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.h"
#include "sim/config/printable.h"
#include "sim/cost/calibration.h"
#include "sim/output/json_document.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

struct SceneSizes {
  std::uint64_t resident = 0;  // bytes in child memory
  std::uint64_t staged = 0;
};

SceneSizes sizes_of(const Scene& scene) {
  SceneSizes sizes;
  for (const SceneTensor& tensor : scene.tensors) {
    const bool child = tensor.residency == Residency::kChildMemory;
    (child ? sizes.resident : sizes.staged) += tensor.bytes().count();
  }
  return sizes;
}

std::string_view personality_name(Personality personality) {
  switch (personality) {
    case Personality::kV2:
      return "v2";
    case Personality::kV3:
      return "v3";
    case Personality::kIdentity:
      return "identity";
  }
  return "unknown";
}

}  // namespace

CliResult<CommandOutput> scenes_command(const Locations& locations, OutputFormat format) {
  Json scenes = Json::array();
  TextTable table({"scene", "tensors", "staged bytes", "child-memory bytes"});
  std::string descriptions;
  const auto names = fixture_names(locations, "scenes");
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto scene = find_scene(locations, name);
    if (!scene) return tl::unexpected(scene.error());
    const SceneSizes sizes = sizes_of(*scene);
    Json json;
    json["name"] = scene->name;
    json["description"] = scene->description;
    json["orchestration"] = scene->orchestration;
    json["tensors"] = scene->tensors.size();
    json["staged_bytes"] = sizes.staged;
    json["child_memory_bytes"] = sizes.resident;
    scenes.push_back(json);
    table.add({scene->name, count_text(scene->tensors.size()), count_text(sizes.staged), count_text(sizes.resident)});
    descriptions += fmt::format("{}: {}\n", scene->name, printable(scene->description));
  }
  if (format == OutputFormat::kTable) return CommandOutput{table.text() + "\n" + descriptions, ExitCode::kFine};
  Json document;
  document["scenes"] = scenes;
  return CommandOutput{document_text(document), ExitCode::kFine};
}

CliResult<CommandOutput> platforms_command(const Locations& locations, OutputFormat format) {
  Json platforms = Json::array();
  TextTable table({"platform", "driver", "host page", "device page", "cost of mapping"});
  std::string descriptions;
  const auto names = fixture_names(locations, "platforms");
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto platform = find_platform(locations, name);
    if (!platform) return tl::unexpected(platform.error());
    const auto calibration = find_calibration(locations, *platform);
    if (!calibration) return tl::unexpected(calibration.error());
    const std::string cost =
        platform->host_map_path ? std::string(name_of(map_cost_source(*platform, *calibration))) : "no_host_map_path";
    Json json;
    json["name"] = platform->name;
    json["description"] = platform->description;
    json["driver"] = personality_name(platform->personality);
    json["host_page_bytes"] = platform->host_page.count();
    json["device_page_bytes"] = platform->device_page.count();
    json["calibration"] = platform->calibration;
    json["map_cost"] = cost;
    platforms.push_back(json);
    table.add({platform->name, std::string(personality_name(platform->personality)),
               count_text(platform->host_page.count()), count_text(platform->device_page.count()), cost});
    descriptions += fmt::format("{}: {}\n", platform->name, printable(platform->description));
  }
  if (format == OutputFormat::kTable) return CommandOutput{table.text() + "\n" + descriptions, ExitCode::kFine};
  Json document;
  document["platforms"] = platforms;
  return CommandOutput{document_text(document), ExitCode::kFine};
}

}  // namespace svmsim
