// SPDX-License-Identifier: Apache-2.0
// The properties with fixed seeds: what every build must pass. `svmsim check` runs the same scenarios with any seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "property_tests/campaign.h"
#include "property_tests/generator.h"
#include "property_tests/relations.h"
#include "property_tests/scenario_code.h"
#include "property_tests/scenario_file.h"
#include "property_tests/testing/shipped_platforms.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kCases = 4000;
constexpr std::uint64_t kRelationCases = 200;

Scenario drawn(std::uint64_t index) { return draw_scenario(platforms(), {}, kSeed, index); }

ScenarioResult harness(const Scenario& scenario) { return run_scenario(scenario, platforms()); }

void expect_none(const CampaignResult& result) {
  EXPECT_EQ(result.error, "");
  if (!result.failure) return;
  const CampaignFailure& found = *result.failure;
  ADD_FAILURE() << fmt::format("case {} of seed {}: {}: {}\n{}\n{}\nagain: svmsim check --seed {} --first {} --cases 1",
                               found.index, kSeed, found.failure.property, found.failure.message,
                               scenario_text(found.shrunk), scenario_code(found.shrunk), kSeed, found.index);
}

TEST(PropertySuite, EveryScenarioFollowsTheModelAndBreaksNoRule) {
  CampaignOptions options;
  options.cases = kCases;
  options.hang_seconds = 10;
  const CampaignResult result = run_campaign(options, drawn, harness);
  expect_none(result);
  EXPECT_EQ(result.cases, kCases);
  // A state that is never reached is not tested. Each floor is well below what a seed of chance gives.
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    const auto landmark = static_cast<Landmark>(i);
    EXPECT_GE(result.coverage.of(landmark), 10u) << landmark_name(landmark);
  }
  for (const Landmark common : {Landmark::kMapped, Landmark::kViewAccess, Landmark::kDeviceCopy,
                                Landmark::kReusedAddress, Landmark::kStraddlingSpan, Landmark::kInteriorView}) {
    EXPECT_GE(result.coverage.of(common), 1000u) << landmark_name(common);
  }
}

TEST(PropertySuite, ThreeRunsOfASeedAndItsShardsGiveOneDigest) {
  CampaignOptions options;
  options.cases = 300;
  const std::uint64_t first = run_campaign(options, drawn, harness).digest;
  EXPECT_NE(first, 0u);
  EXPECT_EQ(run_campaign(options, drawn, harness).digest, first);
  options.isolated = false;
  EXPECT_EQ(run_campaign(options, drawn, harness).digest, first);
  std::uint64_t sum = 0;
  for (std::uint64_t shard = 0; shard < 3; ++shard) {
    options.shard = {shard, 3};
    sum += run_campaign(options, drawn, harness).digest;
  }
  EXPECT_EQ(sum, first);
}

// Found by a campaign: the oracle took run 1, which had been told that there is no room, for one that did not try again
// after a later register had failed.
TEST(PropertySuite, RunThatFoundNoRoomNeedNotTryAgain) {
  Scenario scenario;
  scenario.policy = svmrt::Policy::budget(svmrt::Bytes(4096));
  scenario.operations = {
      {.kind = OperationKind::kAllocate, .slot = 0, .run = kRunner, .size = 4096},
      {.kind = OperationKind::kAllocate, .slot = 1, .run = kRunner, .size = 4096},
      {.kind = OperationKind::kOpenRun, .run = 0},
      {.kind = OperationKind::kClaim, .slot = 1, .run = 0, .size = 4096},
      {.kind = OperationKind::kRead, .slot = 1, .run = 0, .size = 1},
      {.kind = OperationKind::kOpenRun, .run = 1},
      {.kind = OperationKind::kClaim, .slot = 0, .run = 1, .size = 4096},
      {.kind = OperationKind::kRead, .slot = 0, .run = 1, .size = 1},
      {.kind = OperationKind::kEndRun, .run = 0},
      {.kind = OperationKind::kOpenRun, .run = 2},
      {.kind = OperationKind::kClaim, .slot = 0, .run = 2, .size = 4096},
      {.kind = OperationKind::kFailNext, .call = CallKind::kRegister, .code = svmrt::DriverCode::kBusy},
      {.kind = OperationKind::kRead, .slot = 0, .run = 2, .size = 1},
      {.kind = OperationKind::kCloseViews, .run = 1},
  };
  EXPECT_EQ(run_scenario(scenario, platforms()).failure, std::nullopt);
}

// `where` chooses among the places that a relation can be tried at.
using Relation = std::optional<Failure> (*)(const Scenario&, std::uint64_t where);

class Relations : public ::testing::TestWithParam<std::pair<const char*, Relation>> {};

TEST_P(Relations, Hold) {
  CampaignOptions options;
  options.cases = kRelationCases;
  options.most_trials = 300;
  const Judge judge = [&](const Scenario& scenario) {
    ScenarioResult result;
    result.operations = scenario.operations.size();
    result.failure = GetParam().second(scenario, result.operations);
    return result;
  };
  expect_none(run_campaign(options, drawn, judge));
}

constexpr Relation kDifferential = [](const Scenario& s, std::uint64_t) { return check_differential(s, platforms()); };
constexpr Relation kCheapest = [](const Scenario& s, std::uint64_t) {
  return check_cached_is_cheapest(s, platforms());
};
constexpr Relation kOneMore = [](const Scenario& s, std::uint64_t at) {
  return check_one_more_access(s, platforms(), at);
};
constexpr Relation kNoAccess = [](const Scenario& s, std::uint64_t) { return check_no_access_no_map(s, platforms()); };
constexpr Relation kReorder = [](const Scenario& s, std::uint64_t at) { return check_reorder(s, platforms(), at); };
constexpr Relation kSplit = [](const Scenario& s, std::uint64_t at) { return check_split_read(s, platforms(), at); };
constexpr Relation kRename = [](const Scenario& s, std::uint64_t by) { return check_rename(s, platforms(), by); };

INSTANTIATE_TEST_SUITE_P(Between, Relations,
                         ::testing::Values(std::pair{"PlatformsAndPolicies", kDifferential},
                                           std::pair{"CachedAndRebuild", kCheapest},
                                           std::pair{"OneMoreAccess", kOneMore}, std::pair{"NoAccess", kNoAccess},
                                           std::pair{"OrderOfAccesses", kReorder}, std::pair{"HalvesOfARead", kSplit},
                                           std::pair{"Names", kRename}),
                         [](const auto& param_info) { return param_info.param.first; });

}  // namespace
}  // namespace svmsim
