// SPDX-License-Identifier: Apache-2.0
// Many scenarios in a row: draws them, judges them, counts what they came through, and shrinks the first failure. The
// result of a case depends on seed and index alone, so that a campaign can be cut into shards whose results add up.
// Thread-bound.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "property_tests/coverage.h"
#include "property_tests/harness.h"
#include "property_tests/scenario.h"

namespace svmsim {

// Gives case `index`; judges a scenario.
using Drawer = std::function<Scenario(std::uint64_t index)>;
using Judge = std::function<ScenarioResult(const Scenario&)>;

struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;  // case i belongs to shard i % count
};

struct CampaignOptions {
  std::uint64_t first = 0;
  std::uint64_t cases = 2000;  // indices first to first + cases - 1, of which this shard runs its own
  Shard shard{};
  std::uint64_t most_trials = 2000;  // scenarios judged while shrinking
  // Judges in child processes, so that a scenario that kills its process or never ends is a failure ("crash", "hang")
  // like any other.
  bool isolated = true;
  unsigned hang_seconds = 60;  // per scenario; only decides what counts as a hang
};

struct CampaignFailure {
  std::uint64_t index = 0;  // of the case
  Scenario drawn;
  Scenario shrunk;
  Failure failure;           // of the shrunk scenario
  std::uint64_t trials = 0;  // scenarios judged while shrinking
  bool reproduced = false;   // whether a scenario failed again, judged alone
};

struct CampaignResult {
  std::uint64_t cases = 0;  // judged, the failing one included
  std::uint64_t operations = 0;
  Coverage coverage;
  std::uint64_t digest = 0;  // the same for the same cases, however they were sharded: shards' digests are added
  std::optional<CampaignFailure> failure;
  std::string error;  // a scenario could not be run at all; empty otherwise
};

// `go_on` is asked after every few cases, with the result so far, and may be empty: false ends the campaign there.
[[nodiscard]] CampaignResult run_campaign(const CampaignOptions& options, const Drawer& draw, const Judge& judge,
                                          const std::function<bool(const CampaignResult&)>& go_on = {});

// The simplest failing scenario that is found from `failing`, whose failure is given. Of the options, how it is judged
// (in child processes, of which one judges several scenarios; one that fails after others is judged alone too) and how
// many trials there are at most.
[[nodiscard]] CampaignFailure shrink(std::uint64_t index, const Scenario& failing, const Failure& failure,
                                     const Judge& judge, const CampaignOptions& options);

}  // namespace svmsim
