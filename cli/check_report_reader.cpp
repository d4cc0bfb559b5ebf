// SPDX-License-Identifier: Apache-2.0
// Reads the document of a shard back.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

#include "cli/check_report.h"
#include "property_tests/scenario_file.h"
#include "sim/config/printable.h"
#include "sim/machine/digest.h"
#include "sim/output/json_parse.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kMaxReportBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::string described(const Json* value) {
  constexpr std::size_t kShownBytes = 80;
  if (value == nullptr) return "nothing";
  if (value->is_array()) return fmt::format("an array of {}", value->size());
  if (value->is_object()) return "an object";
  if (value->is_string()) return fmt::format("\"{}\"", printable(value->get_ref<const std::string&>(), kShownBytes));
  return value->dump();
}

// Reads members of a JSON object and keeps the first mistake. Borrows the object.
class Reader {
 public:
  Reader(std::string path, std::string prefix, const Json& object)
      : path_(std::move(path)), prefix_(std::move(prefix)), object_(object) {}

  std::uint64_t integer(const std::string& key, std::uint64_t min, std::uint64_t max) {
    const Json* const found = find(key);
    if (found != nullptr && found->is_number_unsigned()) {
      const auto value = found->get<std::uint64_t>();
      if (value >= min && value <= max) return value;
    }
    reject(key, found, fmt::format("an integer from {} to {}", min, max));
    return min;
  }
  bool boolean(const std::string& key) {
    const Json* const found = find(key);
    if (found != nullptr && found->is_boolean()) return found->get<bool>();
    reject(key, found, "true or false");
    return false;
  }
  std::string text(const std::string& key) {
    const Json* const found = find(key);
    if (found != nullptr && found->is_string()) return found->get<std::string>();
    reject(key, found, "a text");
    return "";
  }
  std::optional<std::string> text_or_null(const std::string& key) {
    const Json* const found = find(key);
    if (found != nullptr && found->is_null()) return std::nullopt;
    return text(key);
  }
  // Null when it is null, or no object.
  const Json* object(const std::string& key, bool may_be_null) {
    const Json* const found = find(key);
    if (found != nullptr && found->is_object()) return found;
    if (found == nullptr || !found->is_null() || !may_be_null) reject(key, found, "an object");
    return nullptr;
  }
  const Json::array_t& array(const std::string& key) {
    static const Json::array_t empty;
    const Json* const found = find(key);
    if (found != nullptr && found->is_array()) return found->get_ref<const Json::array_t&>();
    reject(key, found, "an array");
    return empty;
  }
  void reject(const std::string& key, const Json* found, const std::string& allowed) {
    if (error_) return;
    error_ = cli_error(ConfigError{path_, 0, prefix_ + key, described(found), allowed});
  }
  void take_error_of(const Reader& part) {
    if (!error_) error_ = part.error_;
  }
  [[nodiscard]] const std::optional<CliError>& error() const { return error_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] const Json* find(const std::string& key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  std::string path_;
  std::string prefix_;  // "shard." in front of the keys of a member
  const Json& object_;
  std::optional<CliError> error_;
};

std::string allowed_document() {
  return fmt::format("a JSON document of `svmsim check --json` of at most {} MiB", kMaxReportBytes >> 20);
}

CliResult<std::string> read_file(const std::string& path) {
  const auto refused = [&](const std::string& value) {
    return tl::unexpected(cli_error(ConfigError{path, 0, "", value, allowed_document()}));
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return refused("no regular file");
  if (std::filesystem::file_size(path, error) > kMaxReportBytes) return refused("a larger file");
  std::string text(kMaxReportBytes, '\0');
  std::ifstream input(path, std::ios::binary);
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!input.is_open() || input.bad()) return refused("a file that cannot be read");
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

void read_shards(Reader& root, CheckReport& report) {
  const Json* const object = root.object("shard", false);
  if (object == nullptr) return;
  Reader shard(root.path(), "shard.", *object);
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

void read_coverage(Reader& root, Coverage& coverage) {
  const Json* const object = root.object("coverage", false);
  if (object == nullptr) return;
  Reader landmarks(root.path(), "coverage.", *object);
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    coverage.hits[i] = landmarks.integer(std::string(landmark_name(static_cast<Landmark>(i))), 0, kMost);
  }
  root.take_error_of(landmarks);
}

std::uint64_t read_digest(Reader& root) {
  const std::string text = root.text("digest");
  std::uint64_t digest = 0;
  std::from_chars(text.data(), text.data() + text.size(), digest, 16);
  if (digest_text(digest) != text) {
    const Json found = text;
    root.reject("digest", &found, "16 hex digits");
  }
  return digest;
}

void read_failure(Reader& root, CheckReport& report) {
  const Json* const object = root.object("failure", true);
  if (object == nullptr) return;
  Reader part(root.path(), "failure.", *object);
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
  for (const Json& command : part.array("reproduce")) {
    if (!command.is_string()) part.reject("reproduce", &command, "texts");
    if (command.is_string()) failure.reproduce.push_back(command.get<std::string>());
  }
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
    const std::string allowed = wrong.member.empty() ? allowed_document() : wrong.allowed;
    return tl::unexpected(cli_error(ConfigError{file, wrong.line, printable(wrong.member, 200), wrong.found, allowed}));
  }
  Reader root(file, "", *document);
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
