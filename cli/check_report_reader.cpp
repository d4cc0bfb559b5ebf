// SPDX-License-Identifier: Apache-2.0
// Reads the document of a shard back.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "cli/check_report.h"
#include "cli/json_reader.h"
#include "property_tests/scenario_file.h"
#include "sim/config/printable.h"
#include "sim/config/text_file.h"
#include "sim/machine/digest.h"
#include "sim/output/json_parse.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kMaxReportBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

constexpr const char* kDocument = "JSON document of `svmsim check --json`";

CliResult<std::string> read_file(const std::string& path) {
  return read_text_file(path, kDocument, kMaxReportBytes).map_error([&](const UnreadableFile& file) {
    return cli_error({path, 0, "", file.found, file.allowed});
  });
}

void read_shards(JsonReader& root, CheckReport& report) {
  const Json* const object = root.object("shard", false);
  if (object == nullptr) return;
  JsonReader shard(root.path(), "shard.", *object);
  report.shard_count = shard.integer("count", 1, kMostShards);
  for (const Json& index : shard.array("indices")) {
    const bool fits = index.is_number_unsigned() && index.get<std::uint64_t>() < report.shard_count;
    if (!fits || (!report.shards.empty() && index.get<std::uint64_t>() <= report.shards.back())) {
      shard.reject("indices", &index, fmt::format("ascending integers below {}", report.shard_count));
      break;
    }
    report.shards.push_back(index.get<std::uint64_t>());
  }
  if (const Json none = Json::array(); report.shards.empty()) shard.reject("indices", &none, "at least one shard");
  root.take_error_of(shard);
}

void read_coverage(JsonReader& root, Coverage& coverage) {
  const Json* const object = root.object("coverage", false);
  if (object == nullptr) return;
  JsonReader landmarks(root.path(), "coverage.", *object);
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    coverage.hits[i] = landmarks.integer(std::string(landmark_name(static_cast<Landmark>(i))), 0, kMost);
  }
  root.take_error_of(landmarks);
}

std::uint64_t read_digest(JsonReader& root) {
  const std::string text = root.text("digest");
  std::uint64_t digest = 0;
  std::from_chars(text.data(), text.data() + text.size(), digest, 16);
  if (digest_text(digest) != text) {
    const Json found = text;
    root.reject("digest", &found, "16 hex digits");
  }
  return digest;
}

void read_failure(JsonReader& root, CheckReport& report) {
  const Json* const object = root.object("failure", true);
  if (object == nullptr) return;
  JsonReader part(root.path(), "failure.", *object);
  CheckFailure failure;
  failure.index = part.integer("case", report.first, report.first + report.cases - 1);
  const std::uint64_t shard = failure.index % report.shard_count;
  if (!std::binary_search(report.shards.begin(), report.shards.end(), shard)) {
    const Json found = failure.index;
    part.reject("case", &found, "a case of these shards");
  }
  failure.failure.property = part.text("property");
  failure.failure.operation = part.integer("operation", 0, kMost);
  failure.failure.message = part.text("message");
  failure.reproduced = part.boolean("reproduced");
  failure.drawn_operations = part.integer("drawn_operations", 0, kMost);
  failure.trials = part.integer("trials", 0, kMost);
  const Json scenario_found = part.text("scenario");
  if (auto scenario = parse_scenario(scenario_found.get<std::string>(), root.path())) {
    failure.scenario = *std::move(scenario);
  } else {
    part.reject("scenario", &scenario_found, "a scenario: " + scenario.error().message());
  }
  failure.file = part.text_or_null("file");
  failure.reproduce = part.texts("reproduce");
  report.failure = std::move(failure);
  root.take_error_of(part);
}

}  // namespace

CliResult<CheckReport> read_check_report(const std::string& path) {
  return read_file(path).and_then([&](const std::string& text) { return parse_check_report(text, path); });
}

CliResult<CheckReport> parse_check_report(std::string_view text, const std::string& file) {
  // An index for each shard, and room for all else.
  const auto document = parse_json_object(text, {8, 1000, kMostShards + 10'000});
  if (!document) {
    const JsonMistake& wrong = document.error();
    const std::string allowed = wrong.member.empty() ? fmt::format("a {}", kDocument) : wrong.allowed;
    return tl::unexpected(cli_error(ConfigError{file, wrong.line, printable(wrong.member, 200), wrong.found, allowed}));
  }
  JsonReader root(file, "", *document);
  CheckReport report;
  report.seed = root.integer("seed", 0, kMost);
  report.first = root.integer("first", 0, kMostFirst);
  report.cases = root.integer("cases", 1, kMostCases);
  report.platform = root.text_or_null("platform");
  report.policy = root.text_or_null("policy");
  read_shards(root, report);
  const std::uint64_t all = report.cases_of_shards();
  report.judged = root.integer("judged", 0, all);
  report.complete = root.boolean("complete");
  if (report.complete && report.judged != all) {
    const Json found = true;
    root.reject("complete", &found, fmt::format("false, since {} of {} cases were judged", report.judged, all));
  }
  report.operations = root.integer("operations", 0, kMost);
  read_coverage(root, report.coverage);
  report.digest = read_digest(root);
  read_failure(root, report);
  if (root.error()) return tl::unexpected(*root.error());
  return report;
}

}  // namespace svmsim
