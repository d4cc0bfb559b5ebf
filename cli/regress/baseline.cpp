// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/baseline.h"

#include "cli/json_reader.h"
#include "sim/config/text_file.h"
#include "sim/output/json_parse.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kMostBaselineBytes = std::uint64_t{8} << 20;
constexpr JsonLimits kBaselineLimits{8, 100'000, 1'000'000};

}  // namespace

std::string baseline_text(const Baseline& baseline) {
  Json json;
  json["platform"] = baseline.setup.platform;
  json["policy"] = baseline.setup.policy;
  json["rounds"] = baseline.setup.rounds;
  json["seed"] = baseline.setup.seed;
  json["simulated_clock"] = baseline.simulated_clock;
  json["scenes"] = Json::object();
  for (const auto& [scene, observation] : baseline.scenes) json["scenes"][scene] = observation_json(observation);
  return document_text(json);
}

CliResult<Baseline> read_baseline(const std::string& path, const BaselineSetup& setup) {
  const auto refused = [&](const ConfigError& error) { return tl::unexpected(cli_error(error)); };
  const auto text = read_text_file(path, "baseline of `svmsim regress --update`", kMostBaselineBytes);
  if (!text) return refused({path, 0, "", text.error().found, text.error().allowed});
  const auto json = parse_json_object(*text, kBaselineLimits);
  if (!json) return refused({path, json.error().line, json.error().member, json.error().found, json.error().allowed});
  JsonReader reader(path, "", *json);
  const auto same_text = [&](const char* key, const std::string& expected) {
    const Json found = reader.text(key);
    if (found.get<std::string>() != expected) reader.reject(key, &found, "\"" + expected + "\", as in this run");
  };
  const auto same_number = [&](const char* key, std::uint64_t expected) {
    const Json found = reader.integer(key, 0, UINT64_MAX);
    if (found.get<std::uint64_t>() != expected) {
      reader.reject(key, &found, std::to_string(expected) + ", as in this run");
    }
  };
  same_text("platform", setup.platform);
  same_text("policy", setup.policy);
  same_number("rounds", setup.rounds);
  same_number("seed", setup.seed);
  Baseline baseline{setup, reader.boolean("simulated_clock"), {}};
  if (const Json* const scenes = reader.object("scenes", false); scenes != nullptr) {
    for (const auto& member : scenes->items()) {
      JsonReader all(path, "scenes.", *scenes);
      const Json* const scene = all.object(member.key(), false);
      if (scene != nullptr) {
        JsonReader part(path, "scenes." + member.key() + ".", *scene);
        baseline.scenes[member.key()] = read_observation(part);
        part.reject_others();
        reader.take_error_of(part);
      }
      reader.take_error_of(all);
    }
  }
  reader.reject_others();
  if (reader.error()) return tl::unexpected(*reader.error());
  return baseline;
}

}  // namespace svmsim
