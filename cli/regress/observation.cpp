// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/observation.h"

#include <fmt/format.h>

#include "sim/machine/digest.h"

namespace svmsim {

namespace {

using svmrt::Picoseconds;

Picoseconds sum(const std::vector<svmrt::RunReport>& rounds, Picoseconds svmrt::RunReport::*time) {
  Picoseconds all;
  for (const svmrt::RunReport& round : rounds) all += round.*time;
  return all;
}

}  // namespace

Observation observe(const RunResult& result) {
  Observation seen{
      result.status, result.error, digest_text(result.result_digest), digest_text(result.outputs_digest), {}, {}};
  const RunTotals& totals = result.totals;
  seen.counts = {{"totals.map_calls", totals.map_calls},           {"totals.map_refused", totals.map_refused},
                 {"totals.unmap_calls", totals.unmap_calls},       {"totals.free_calls", totals.free_calls},
                 {"totals.devcopy", totals.device_copies},         {"totals.accesses", totals.accesses},
                 {"totals.quarantined", result.quarantined.size()}};
  for (std::size_t i = 0; i < result.rounds.size(); ++i) {
    const svmrt::RunReport& round = result.rounds[i];
    const auto add = [&](const char* name, std::uint64_t count) {
      seen.counts.emplace_back(fmt::format("per_round[{}].{}", i, name), count);
    };
    add("mappings_established", round.mappings_established);
    add("mappings_held", round.mappings_held);
    add("bytes_held", round.bytes_held.count());
    add("count", round.regions_with_view);
    add("bytes", round.region_bytes_with_view.count());
    add("devcopy", round.device_copies);
    add("accesses", round.accesses);
    add("tasks", round.tasks);
  }
  seen.times = {{"bind", sum(result.rounds, &svmrt::RunReport::bind_time)},
                {"map", totals.map_time},
                {"unmap", totals.unmap_time},
                {"copy", totals.copy_time},
                {"upload", totals.upload_time},
                {"host_view_close", sum(result.rounds, &svmrt::RunReport::host_view_close_time)},
                {"download", sum(result.rounds, &svmrt::RunReport::download_time)}};
  return seen;
}

Json observation_json(const Observation& observation) {
  Json json;
  json["status"] = static_cast<std::uint32_t>(observation.status);
  json["error"] = observation.error;
  json["result_digest"] = observation.result_digest;
  json["outputs_digest"] = observation.outputs_digest;
  json["counts"] = Json::object();
  for (const auto& [name, count] : observation.counts) json["counts"][name] = count;
  json["times_ps"] = Json::object();
  for (const auto& [name, time] : observation.times) json["times_ps"][name] = time.count();
  return json;
}

Observation read_observation(JsonReader& reader) {
  Observation seen;
  seen.status = static_cast<std::int32_t>(reader.integer("status", 0, UINT32_MAX));
  seen.error = reader.text("error");
  seen.result_digest = reader.text("result_digest");
  seen.outputs_digest = reader.text("outputs_digest");
  seen.counts = reader.integers("counts");
  for (const auto& [name, time] : reader.integers("times_ps")) seen.times.emplace_back(name, Picoseconds(time));
  return seen;
}

}  // namespace svmsim
