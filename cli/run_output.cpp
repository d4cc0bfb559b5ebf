// SPDX-License-Identifier: Apache-2.0
#include "cli/run_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "sim/machine/digest.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

Json round_json(std::uint64_t round, const svmrt::RunReport& report) {
  Json json;
  json["round"] = round;
  json["mappings_established"] = report.mappings_established;
  json["mappings_held"] = report.mappings_held;
  json["bytes_held"] = report.bytes_held.count();
  json["count"] = report.regions_with_view;
  json["bytes"] = report.region_bytes_with_view.count();
  json["devcopy"] = report.device_copies;
  json["accesses"] = report.accesses;
  json["bind_ns"] = nanoseconds(report.bind_time);
  json["map_ns"] = nanoseconds(report.map_time);
  json["unmap_ns"] = nanoseconds(report.unmap_time);
  json["copy_ns"] = nanoseconds(report.copy_time);
  json["upload_ns"] = nanoseconds(report.upload_time + report.push_time);
  json["host_view_close_ns"] = nanoseconds(report.host_view_close_time);
  json["device_ns"] = nanoseconds(report.device_time);
  return json;
}

Json totals_json(const RunTotals& totals) {
  Json json;
  json["map_calls"] = totals.map_calls;
  json["map_refused"] = totals.map_refused;
  json["unmap_calls"] = totals.unmap_calls;
  json["free_calls"] = totals.free_calls;
  json["map_ns"] = nanoseconds(totals.map_time);
  json["unmap_ns"] = nanoseconds(totals.unmap_time);
  json["copy_ns"] = nanoseconds(totals.copy_time);
  json["upload_ns"] = nanoseconds(totals.upload_time);
  json["devcopy"] = totals.device_copies;
  json["accesses"] = totals.accesses;
  return json;
}

Json violation_json(const Violation& violation) {
  Json json;
  json["rule"] = violation.rule;
  json["round"] = violation.round;
  json["allocation"] = violation.allocation;
  json["message"] = violation.message;
  return json;
}

Json rounds_json(const Attempt& attempt) {
  Json rounds = Json::array();
  for (std::size_t round = 0; round < attempt.rounds.size(); ++round) {
    rounds.push_back(round_json(round, attempt.rounds[round]));
  }
  return rounds;
}

Json again_json(const Attempt& again) {
  Json json;
  json["status"] = again.status;
  json["orch_error_code"] = again.orch_error_code;
  json["result_digest"] = digest_text(again.result_digest);
  json["per_round"] = rounds_json(again);
  return json;
}

Json faults_json(const RunSetup& setup, const RunResult& result) {
  Json json;
  json["file"] = setup.faults_source;
  json["seed"] = setup.faults->seed;
  json["hits"] = result.fault_hits.failed_calls;
  return json;
}

// Six digits: what lies behind them may depend on the machine's mathematical library.
double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

Json golden_json(const SceneGolden& golden, const GoldenReport& report) {
  Json json;
  json["name"] = golden.name;
  json["absolute"] = golden.absolute;
  json["relative"] = golden.relative;
  json["within"] = report.worst.within;
  Json worst;
  worst["round"] = report.round;
  worst["tensor"] = report.tensor;
  worst["element"] = report.worst.element;
  worst["expected"] = six_digits(report.worst.expected);
  worst["found"] = six_digits(report.worst.found);
  worst["allowed"] = six_digits(report.worst.allowed);
  json["worst"] = std::move(worst);
  return json;
}

std::string golden_text(const SceneGolden& golden, const GoldenReport& report) {
  return fmt::format(
      "golden {}: {}; furthest is element {} of {} in round {}, {:.6g} for {:.6g}, {:.6g} away of {:.6g} allowed\n",
      golden.name, report.worst.within ? "every element within its tolerance" : "NOT within its tolerance",
      report.worst.element, report.tensor, report.round, report.worst.found, report.worst.expected,
      std::fabs(report.worst.found - report.worst.expected), report.worst.allowed);
}

std::string faults_text(const FaultPlan& plan, const FaultHits& hits) {
  std::string text = fmt::format("faults {}, seed {}: {}\n", plan.name, plan.seed, plan.description);
  for (std::size_t i = 0; i < plan.faults.size(); ++i) {
    const Fault& fault = plan.faults[i];
    text += fmt::format("  {}: {} {} calls fail with {} ({})\n", fault.name, count_text(hits.by_fault[i]),
                        fault.call ? call_kind_name(*fault.call) : "driver", svmrt::driver_code_name(fault.code),
                        svmrt::code_number(fault.code));
  }
  return text;
}

std::string rounds_table(const Attempt& result) {
  TextTable table({"round", "maps", "held", "bytes held", "devcopy", "accesses", "bind us", "map us", "unmap us",
                   "copy us", "upload us", "close us", "device us"});
  for (std::size_t round = 0; round < result.rounds.size(); ++round) {
    const svmrt::RunReport& report = result.rounds[round];
    table.add({std::to_string(round), count_text(report.mappings_established), count_text(report.mappings_held),
               count_text(report.bytes_held.count()), count_text(report.device_copies), count_text(report.accesses),
               microseconds_text(report.bind_time), microseconds_text(report.map_time),
               microseconds_text(report.unmap_time), microseconds_text(report.copy_time),
               microseconds_text(report.upload_time + report.push_time), microseconds_text(report.host_view_close_time),
               microseconds_text(report.device_time)});
  }
  return table.text();
}

}  // namespace

Json run_json(const RunSetup& setup, const RunResult& result) {
  Json json;
  json["scene"] = setup.scene.name;
  json["platform"] = setup.platform.name;
  json["policy"] = svmrt::policy_name(setup.policy);
  json["rounds"] = setup.rounds;
  json["seed"] = setup.seed;
  if (setup.kernels != KernelMode::kDigest) json["kernels"] = kernel_mode_name(setup.kernels);
  json["status"] = result.status;
  json["orch_error_code"] = result.orch_error_code;
  json["trace_digest"] = digest_text(result.trace_digest);
  json["result_digest"] = digest_text(result.result_digest);
  json["per_round"] = rounds_json(result);
  if (result.again) json["again"] = again_json(*result.again);
  if (setup.faults) json["faults"] = faults_json(setup, result);
  if (setup.kernels != KernelMode::kDigest) json["outputs_digest"] = digest_text(result.outputs_digest);
  if (result.golden) json["golden"] = golden_json(*setup.scene.golden, *result.golden);
  json["totals"] = totals_json(result.totals);
  json["violations"] = Json::array();
  for (const Violation& violation : result.violations) json["violations"].push_back(violation_json(violation));
  return json;
}

std::string run_text(const RunSetup& setup, const RunResult& result) {
  std::string text = fmt::format("{} on {}, policy {}, {} round{}, seed {}, backing {}, kernels {}\n{}\n\n",
                                 setup.scene.name, setup.platform.name, svmrt::policy_name(setup.policy), setup.rounds,
                                 setup.rounds == 1 ? "" : "s", setup.seed, backing_name(setup.scene.backing),
                                 kernel_mode_name(setup.kernels), setup.platform.description);
  text += rounds_table(result);
  if (result.again) text += "\nagain on the same runner\n" + rounds_table(*result.again);
  const RunTotals& totals = result.totals;
  text += fmt::format(
      "\nwhole run: {} maps ({} refused), {} unmaps, {} frees, {} device copies for {} accesses\n"
      "           map {} us, unmap {} us, copy {} us, upload {} us\n",
      count_text(totals.map_calls), count_text(totals.map_refused), count_text(totals.unmap_calls),
      count_text(totals.free_calls), count_text(totals.device_copies), count_text(totals.accesses),
      microseconds_text(totals.map_time), microseconds_text(totals.unmap_time), microseconds_text(totals.copy_time),
      microseconds_text(totals.upload_time));
  text += fmt::format("result digest {}, trace digest {}\n", digest_text(result.result_digest),
                      digest_text(result.trace_digest));
  if (result.again) {
    text += fmt::format("result digest of the second attempt {}\n", digest_text(result.again->result_digest));
  }
  if (result.golden) text += golden_text(*setup.scene.golden, *result.golden);
  if (setup.faults) text += faults_text(*setup.faults, result.fault_hits);
  for (const auto& block : result.quarantined) {
    text += fmt::format("quarantined: {} bytes at {:#x}: {}\n", count_text(block.size.count()), block.base.value(),
                        block.reason);
  }
  for (const Violation& violation : result.violations) {
    text += fmt::format("violation of {}{}{}: {}\n", violation.rule,
                        violation.round < 0 ? "" : fmt::format(" in round {}", violation.round),
                        violation.allocation.empty() ? "" : " (" + violation.allocation + ")", violation.message);
  }
  if (result.violations.empty()) text += "oracle: no rule broken\n";
  std::vector<std::string> names;
  for (const Assumption& assumption : platform_assumptions(setup.platform, setup.calibration)) {
    names.push_back(assumption.parameter);
  }
  text += fmt::format(
      "not measured: {}; kernel durations (the scene's own). `svmsim sweep` says what stands in for the rest\n",
      fmt::join(names, ", "));
  if (result.status != 0) text += result.error + "\n";
  if (result.again && result.again->status != 0) text += "second attempt: " + result.again->error + "\n";
  return text;
}

}  // namespace svmsim
