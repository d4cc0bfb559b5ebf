// SPDX-License-Identifier: Apache-2.0
// What `svmsim check` found, as one JSON document for machines and as text for people; and the sum of several such
// documents, each of other shards of one campaign. Value type; pure functions but for read_check_report.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli_error.h"
#include "property_tests/coverage.h"
#include "property_tests/harness.h"
#include "property_tests/scenario.h"
#include "sim/output/json_document.h"

namespace svmsim {

// Of one campaign; another begins at a later --first.
inline constexpr std::uint64_t kMostCases = 10'000'000;
inline constexpr std::uint64_t kMostFirst = std::numeric_limits<std::int64_t>::max();
inline constexpr std::uint64_t kMostShards = 1'000'000;

struct CheckFailure {
  std::uint64_t index = 0;  // of the case
  Failure failure;          // of the shrunk scenario
  bool reproduced = false;  // whether the scenario failed again when it was judged alone
  std::uint64_t drawn_operations = 0;
  std::uint64_t trials = 0;            // scenarios judged while shrinking
  Scenario scenario;                   // shrunk
  std::optional<std::string> file;     // where it was written; absent when it could not be
  std::vector<std::string> reproduce;  // commands that show the failure again
};

struct CheckReport {
  // Which cases: those from `first` to `first + cases - 1` of which the remainder by shard_count is one of shards.
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t cases = 0;
  std::optional<std::string> platform;  // what every case was given instead of a drawn one
  std::optional<std::string> policy;
  std::uint64_t shard_count = 1;
  std::vector<std::uint64_t> shards;  // sorted, each once

  std::uint64_t judged = 0;
  bool complete = false;  // all of them were judged
  std::uint64_t operations = 0;
  Coverage coverage;
  std::uint64_t digest = 0;
  std::optional<CheckFailure> failure;  // of several, that of the lowest case

  [[nodiscard]] std::uint64_t cases_of_shards() const;
  // Of a merge that lacks a shard, nobody knows what that one found.
  [[nodiscard]] bool has_all_shards() const { return shards.size() == shard_count; }
};

// How many of the numbers from `first` to `first + cases - 1` leave this remainder by `shard_count`.
[[nodiscard]] std::uint64_t cases_of_shard(std::uint64_t first, std::uint64_t cases, std::uint64_t shard,
                                           std::uint64_t shard_count);

[[nodiscard]] Json check_json(const CheckReport& report);
[[nodiscard]] std::string check_text(const CheckReport& report);

// Reads a document of check_json. A mistake names file, key, value and what is allowed.
[[nodiscard]] CliResult<CheckReport> read_check_report(const std::string& path);
// The same from memory; `file` is the name that errors carry.
[[nodiscard]] CliResult<CheckReport> parse_check_report(std::string_view text, const std::string& file);
// Adds `other`, which came from `path`, to `sum`: the same campaign, other shards.
[[nodiscard]] CliResult<CheckReport> merged(CheckReport sum, const CheckReport& other, const std::string& path);

}  // namespace svmsim
