// SPDX-License-Identifier: Apache-2.0
#include "property_tests/generator.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "property_tests/scenario_file.h"
#include "property_tests/testing/shipped_platforms.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kCases = 2000;

TEST(Generator, CaseDependsOnSeedAndIndexAlone) {
  const Scenario first = draw_scenario(platforms(), {}, 7, 41);
  EXPECT_EQ(draw_scenario(platforms(), {}, 7, 41), first);
  EXPECT_NE(draw_scenario(platforms(), {}, 7, 42), first);
  EXPECT_NE(draw_scenario(platforms(), {}, 8, 41), first);
}

TEST(Generator, EveryCaseFitsAScenarioFile) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Scenario scenario = draw_scenario(platforms(), {}, 1, i);
    const auto read = parse_scenario(scenario_text(scenario), "drawn");
    ASSERT_TRUE(read.has_value()) << read.error().message();
    // Fields that an operation does not use are not in the file; those it uses must be equal.
    EXPECT_EQ(scenario_text(*read), scenario_text(scenario)) << i;
  }
}

TEST(Generator, LengthsReachBothEnds) {
  std::set<std::size_t> lengths;
  for (std::uint64_t i = 0; i < kCases; ++i) lengths.insert(draw_scenario(platforms(), {}, 1, i).operations.size());
  EXPECT_EQ(*lengths.begin(), 1u);
  EXPECT_EQ(*lengths.rbegin(), kMostOperations);
}

TEST(Generator, EveryKindPlatformPolicyReuseAndBackingIsDrawn) {
  std::array<std::uint64_t, kOperationKinds> cases_with_kind{};
  std::set<std::string> names;
  std::set<svmrt::Policy::Kind> policies;
  std::set<AddressReuse> reuses;
  std::uint64_t with_mmu = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    const Scenario scenario = draw_scenario(platforms(), {}, 1, i);
    names.insert(scenario.platform);
    policies.insert(scenario.policy.kind());
    reuses.insert(scenario.reuse);
    if (scenario.backing == BackingKind::kMmu) ++with_mmu;
    std::set<OperationKind> kinds;
    for (const Operation& operation : scenario.operations) kinds.insert(operation.kind);
    for (const OperationKind kind : kinds) ++cases_with_kind[static_cast<std::size_t>(kind)];
  }
  EXPECT_EQ(names.size(), platforms().size());
  EXPECT_EQ(policies.size(), 5u);
  EXPECT_EQ(reuses.size(), 3u);
  // One in 20, with room for chance.
  EXPECT_GT(with_mmu, kCases / 40);
  EXPECT_LT(with_mmu, kCases / 10);
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    EXPECT_GT(cases_with_kind[i], 0u) << operation_name(static_cast<OperationKind>(i));
  }
  // Each starts a process.
  EXPECT_LT(cases_with_kind[static_cast<std::size_t>(OperationKind::kFork)], kCases / 50);
}

TEST(Generator, PlatformAndPolicyCanBeGiven) {
  const DrawOptions options{.platform = "a2a3-64k", .policy = svmrt::Policy::kRebuild};
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Scenario scenario = draw_scenario(platforms(), options, 1, i);
    EXPECT_EQ(scenario.platform, "a2a3-64k");
    EXPECT_EQ(scenario.policy, svmrt::Policy::kRebuild);
    // The operations are those of the case without the options.
    EXPECT_EQ(scenario.operations, draw_scenario(platforms(), {}, 1, i).operations);
  }
}

}  // namespace
}  // namespace svmsim
