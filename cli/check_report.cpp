// SPDX-License-Identifier: Apache-2.0
#include "cli/check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "property_tests/scenario_code.h"
#include "property_tests/scenario_file.h"
#include "sim/machine/digest.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

Json failure_json(const CheckFailure& failure) {
  Json document;
  document["case"] = failure.index;
  document["property"] = failure.failure.property;
  document["operation"] = failure.failure.operation;
  document["message"] = failure.failure.message;
  document["reproduced"] = failure.reproduced;
  document["drawn_operations"] = failure.drawn_operations;
  document["trials"] = failure.trials;
  document["scenario"] = scenario_text(failure.scenario);
  document["code"] = scenario_code(failure.scenario);
  document["file"] = or_null(failure.file);
  document["reproduce"] = failure.reproduce;
  return document;
}

std::string failure_text(const CheckReport& report, const CheckFailure& failure) {
  const Scenario& scenario = failure.scenario;
  std::string text = fmt::format("case {} of seed {} fails\n  property   {}\n  message    {}\n", failure.index,
                                 report.seed, failure.failure.property, failure.failure.message);
  text += fmt::format("  platform   {}\n  policy     {}\n  operations {} of {} are left after {} trials\n",
                      scenario.platform, svmrt::policy_name(scenario.policy), scenario.operations.size(),
                      failure.drawn_operations, failure.trials);
  if (!failure.reproduced) text += "  it did not fail again when it was judged alone\n";
  for (std::size_t i = 0; i < scenario.operations.size(); ++i) {
    text += fmt::format("  {:>3}  {}\n", i, operation_text(scenario.operations[i]));
  }
  if (failure.file) text += fmt::format("\nwritten to {}; run it again by\n", *failure.file);
  if (!failure.file) text += "\nrun it again by\n";
  for (const std::string& command : failure.reproduce) text += fmt::format("  {}\n", command);
  return text + "\nas a test\n\n" + scenario_code(scenario);
}

std::string shards_text(const CheckReport& report) {
  if (report.has_all_shards()) return "all";
  return fmt::format("{} of {}", fmt::join(report.shards, ", "), report.shard_count);
}

CliError wrong(const std::string& path, const std::string& key, const std::string& value, const std::string& allowed) {
  return cli_error(ConfigError{path, 0, key, value, allowed});
}

}  // namespace

std::uint64_t cases_of_shard(std::uint64_t first, std::uint64_t cases, std::uint64_t shard, std::uint64_t shard_count) {
  const auto below = [&](std::uint64_t n) { return n / shard_count + (n % shard_count > shard ? 1 : 0); };
  return below(first + cases) - below(first);
}

std::uint64_t CheckReport::cases_of_shards() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t shard : shards) sum += cases_of_shard(first, cases, shard, shard_count);
  return sum;
}

Json check_json(const CheckReport& report) {
  Json coverage;
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    const auto landmark = static_cast<Landmark>(i);
    coverage[std::string(landmark_name(landmark))] = report.coverage.of(landmark);
  }
  Json document;
  document["seed"] = report.seed;
  document["first"] = report.first;
  document["cases"] = report.cases;
  document["platform"] = or_null(report.platform);
  document["policy"] = or_null(report.policy);
  document["shard"]["count"] = report.shard_count;
  document["shard"]["indices"] = report.shards;
  document["judged"] = report.judged;
  document["complete"] = report.complete;
  document["operations"] = report.operations;
  document["coverage"] = coverage;
  document["digest"] = digest_text(report.digest);
  document["failure"] = report.failure ? failure_json(*report.failure) : Json(nullptr);
  return document;
}

std::string check_text(const CheckReport& report) {
  std::string text = fmt::format("seed       {}\ncases      {} to {}, shards: {}\n", report.seed, report.first,
                                 report.first + report.cases - 1, shards_text(report));
  text += fmt::format("judged     {} cases, {} operations{}\n", count_text(report.judged),
                      count_text(report.operations), report.complete ? "" : " (not all of these shards)");
  text += fmt::format("digest     {}\n\n", digest_text(report.digest));
  TextTable table({"came through", "times"});
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    const auto landmark = static_cast<Landmark>(i);
    table.add({std::string(landmark_name(landmark)), count_text(report.coverage.of(landmark))});
  }
  text += table.text() + "\n";
  if (report.failure) return text + failure_text(report, *report.failure);
  return text + (report.judged > 0 ? "no property failed\n" : "no case was judged\n");
}

CliResult<CheckReport> merged(CheckReport sum, const CheckReport& other, const std::string& path) {
  const auto differs = [&](const std::string& key, const std::string& value, const std::string& first_value) {
    return tl::unexpected(wrong(path, key, value, first_value + ", as in the first file"));
  };
  const auto name = [](const std::optional<std::string>& text) { return text.value_or("null"); };
  if (other.seed != sum.seed) return differs("seed", std::to_string(other.seed), std::to_string(sum.seed));
  if (other.first != sum.first) return differs("first", std::to_string(other.first), std::to_string(sum.first));
  if (other.cases != sum.cases) return differs("cases", std::to_string(other.cases), std::to_string(sum.cases));
  if (other.platform != sum.platform) return differs("platform", name(other.platform), name(sum.platform));
  if (other.policy != sum.policy) return differs("policy", name(other.policy), name(sum.policy));
  if (other.shard_count != sum.shard_count) {
    return differs("shard.count", std::to_string(other.shard_count), std::to_string(sum.shard_count));
  }
  const std::vector<std::uint64_t> earlier = std::move(sum.shards);
  sum.shards.clear();
  std::merge(earlier.begin(), earlier.end(), other.shards.begin(), other.shards.end(), std::back_inserter(sum.shards));
  const auto twice = std::adjacent_find(sum.shards.begin(), sum.shards.end());
  if (twice != sum.shards.end()) {
    return tl::unexpected(wrong(path, "shard.indices", std::to_string(*twice), "shards that are in no earlier file"));
  }
  sum.judged += other.judged;
  sum.complete = sum.complete && other.complete;
  sum.operations += other.operations;
  sum.coverage += other.coverage;
  sum.digest += other.digest;
  if (other.failure && (!sum.failure || other.failure->index < sum.failure->index)) sum.failure = other.failure;
  return sum;
}

}  // namespace svmsim
