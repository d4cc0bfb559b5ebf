// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/regression.h"

#include <fmt/format.h>

#include <limits>

#include "sim/output/text_table.h"

namespace svmsim {

namespace {

constexpr const char* kNotThere = "none";

void compare(const std::string& what, const std::string& expected, const std::string& seen,
             std::vector<Mismatch>& found) {
  if (expected != seen) found.push_back({what, expected, seen});
}

// Rounded down; at most what can be said at all.
svmrt::Picoseconds with_tolerance(svmrt::Picoseconds time, std::uint64_t percent) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t whole = time.count() / 100;
  if (time.count() > kMost - percent) return svmrt::Picoseconds(kMost);
  const std::uint64_t room = kMost - percent - time.count();  // what is added for the rest is less than the percents
  if (percent > 0 && whole > room / percent) return svmrt::Picoseconds(kMost);
  return svmrt::Picoseconds(time.count() + whole * percent + time.count() % 100 * percent / 100);
}

}  // namespace

const char* clock_name(bool simulated) { return simulated ? "simulated" : "system"; }

std::vector<Mismatch> differences(const Observation& expected, const Observation& seen) {
  std::vector<Mismatch> found;
  const auto end_text = [](const Observation& of) { return of.status == 0 ? "0" : of.error; };
  compare("status", end_text(expected), end_text(seen), found);
  compare("result_digest", expected.result_digest, seen.result_digest, found);
  compare("outputs_digest", expected.outputs_digest, seen.outputs_digest, found);
  for (const auto& [name, count] : expected.counts) {
    const std::uint64_t* const other = find_named(seen.counts, name);
    compare(name, std::to_string(count), other == nullptr ? kNotThere : std::to_string(*other), found);
  }
  for (const auto& [name, count] : seen.counts) {
    if (find_named(expected.counts, name) == nullptr) found.push_back({name, kNotThere, std::to_string(count)});
  }
  return found;
}

std::vector<Phase> phases(const Observation& simulated, const Observation& seen, bool copies_all) {
  std::vector<Phase> all;
  for (const auto& [name, time] : simulated.times) {
    const svmrt::Picoseconds* const board = find_named(seen.times, name);
    if (board == nullptr) continue;
    const bool has_copies = name == "bind" || name == "upload" || name == "download";
    all.push_back({name, time, *board, copies_all || !has_copies});
  }
  return all;
}

std::vector<Mismatch> baseline_differences(const Observation& baseline, const Observation& seen,
                                           std::uint64_t tolerance_percent) {
  std::vector<Mismatch> found = differences(baseline, seen);
  for (const auto& [name, before] : baseline.times) {
    const svmrt::Picoseconds* const now = find_named(seen.times, name);
    if (now == nullptr) continue;
    const svmrt::Picoseconds allowed = with_tolerance(before, tolerance_percent);
    if (*now > allowed) {
      found.push_back({name + " us", fmt::format("at most {}", microseconds_text(allowed)), microseconds_text(*now)});
    }
  }
  return found;
}

}  // namespace svmsim
