// SPDX-License-Identifier: Apache-2.0
#include "property_tests/snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace svmsim {

namespace {

constexpr std::array<std::string_view, 18> kAnswerNames = {
    "skipped",           "ok",       "invalid_argument", "unknown_address", "interior_address", "in_use",
    "unregister_failed", "driver",   "device_lost",      "finalized",       "no_region",        "output_only",
    "no_data",           "bad_span", "copy_failed",      "unavailable",     "no_view",          "refused",
};

std::string blocks_text(const std::vector<Snapshot::Block>& blocks) {
  std::string text;
  for (const Snapshot::Block& block : blocks) {
    text += fmt::format("{}{:#x} ({} bytes)", text.empty() ? "" : ", ", block.base.value(), block.size.count());
  }
  return text.empty() ? "none" : text;
}

constexpr std::array<std::string_view, kRuns> kRunNames = {"run 0", "run 1", "run 2"};
constexpr std::array<std::string_view, kRuns> kRunOwners = {"run 0's ", "run 1's ", "run 2's "};

// Notes the first field that differs. A field is named in two parts, which are put together only then: there are some
// fifty fields, and they are compared after every operation.
class Comparison {
 public:
  explicit Comparison(Difference& found) : found_(found) {}
  template <typename T>
  void numbers(std::string_view property, std::string_view whose, std::string_view what, const T& actual,
               const T& expected) {
    if (actual == expected) return;
    note(property, fmt::format("{}{}: {} instead of {}", whose, what, actual, expected));
  }
  void times(std::string_view whose, std::string_view what, svmrt::Picoseconds actual, svmrt::Picoseconds expected) {
    if (actual == expected) return;
    note("time", fmt::format("{}{}: {} ps instead of {} ps", whose, what, actual.count(), expected.count()));
  }
  void blocks(std::string_view property, const std::vector<Snapshot::Block>& actual,
              const std::vector<Snapshot::Block>& expected) {
    if (actual == expected) return;
    note(property, fmt::format("{}: {} instead of {}", property, blocks_text(actual), blocks_text(expected)));
  }
  void mappings(std::string_view whose, const svmrt::MappingStats& actual, const svmrt::MappingStats& expected) {
    numbers("statistics", whose, "mappings established", actual.established, expected.established);
    numbers("statistics", whose, "mappings refused", actual.refused, expected.refused);
    numbers("statistics", whose, "mappings dropped", actual.dropped, expected.dropped);
    times(whose, "map time", actual.map_time, expected.map_time);
    times(whose, "unmap time", actual.unmap_time, expected.unmap_time);
  }
  void accesses(std::string_view whose, const svmrt::AccessStats& actual, const svmrt::AccessStats& expected) {
    numbers("statistics", whose, "accesses", actual.accesses, expected.accesses);
    numbers("statistics", whose, "device copies", actual.device_copies, expected.device_copies);
    numbers("statistics", whose, "view loads", actual.view_loads, expected.view_loads);
    numbers("statistics", whose, "view stores", actual.view_stores, expected.view_stores);
    numbers("statistics", whose, "staged writes", actual.staged_writes, expected.staged_writes);
    numbers("statistics", whose, "regions with view", actual.regions_with_view, expected.regions_with_view);
    numbers("statistics", whose, "bytes with view", actual.bytes_with_view.count(), expected.bytes_with_view.count());
    times(whose, "copy time", actual.copy_time, expected.copy_time);
    times(whose, "push time", actual.push_time, expected.push_time);
  }

 private:
  void note(std::string_view property, std::string message) {
    if (!found_.property.empty()) return;
    found_ = {std::string(property), std::move(message)};
  }
  Difference& found_;
};

}  // namespace

std::string_view answer_name(Answer answer) { return kAnswerNames[static_cast<std::size_t>(answer)]; }

std::string outcome_text(const Outcome& outcome) {
  std::string text(answer_name(outcome.answer));
  if (outcome.code != 0) text += fmt::format(" ({})", outcome.code);
  if (!outcome.bytes.empty()) text += fmt::format(", bytes {:02x}", fmt::join(outcome.bytes, " "));
  return text;
}

Difference difference(const Snapshot& actual, const Snapshot& expected) {
  Difference found;
  Comparison compare(found);
  compare.blocks("mapped", actual.mapped, expected.mapped);
  compare.blocks("quarantine", actual.quarantined, expected.quarantined);
  compare.numbers("held", "", "mappings held", actual.held.count, expected.held.count);
  compare.numbers("held", "", "bytes held", actual.held.bytes.count(), expected.held.bytes.count());
  compare.numbers("statistics", "", "live blocks", actual.live_blocks, expected.live_blocks);
  const svmrt::DriverFailures& failures = actual.failures;
  compare.numbers("failures", "failed ", "allocates", failures.allocate, expected.failures.allocate);
  compare.numbers("failures", "failed ", "frees", failures.free, expected.failures.free);
  compare.numbers("failures", "failed ", "registers", failures.register_to_host, expected.failures.register_to_host);
  compare.numbers("failures", "failed ", "unregisters", failures.unregister, expected.failures.unregister);
  compare.numbers("failures", "failed ", "copies", failures.copy, expected.failures.copy);
  compare.mappings("the runner's ", actual.totals, expected.totals);
  for (std::size_t i = 0; i < kRuns; ++i) {
    const std::optional<Snapshot::Run>& run = actual.runs[i];
    const std::optional<Snapshot::Run>& other = expected.runs[i];
    compare.numbers("statistics", kRunNames[i], " open", run.has_value(), other.has_value());
    if (!run || !other) continue;
    compare.accesses(kRunOwners[i], run->accesses, other->accesses);
    compare.mappings(kRunOwners[i], run->mappings, other->mappings);
    compare.times(kRunOwners[i], "present", run->now, other->now);
  }
  compare.times("the runner's ", "present", actual.runner_now, expected.runner_now);
  return found;
}

}  // namespace svmsim
