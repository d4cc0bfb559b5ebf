// SPDX-License-Identifier: Apache-2.0
#include "fuzz/scenario_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "property_tests/dice.h"
#include "property_tests/scenario_file.h"
#include "property_tests/testing/shipped_platforms.h"

namespace svmsim {
namespace {

std::vector<std::uint8_t> random_bytes(Dice& dice, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice.below(256));
  return bytes;
}

// What a scenario says without its texts.
Scenario bare(Scenario scenario) {
  scenario.name = scenario.description = scenario.source = scenario.fault = "";
  return scenario;
}

TEST(ScenarioBytes, NoBytesAreTheDefaultScenario) { EXPECT_EQ(scenario_from_bytes({}, platforms()), Scenario{}); }

TEST(ScenarioBytes, WhatFollowsTheLastWholeRecordIsIgnored) {
  Dice dice(1, 0);
  std::vector<std::uint8_t> bytes = random_bytes(dice, 3 * kRecordBytes);
  const Scenario whole = scenario_from_bytes(bytes, platforms());
  bytes.insert(bytes.end(), kRecordBytes - 1, std::uint8_t{0xff});
  EXPECT_EQ(scenario_from_bytes(bytes, platforms()), whole);
}

// A scenario file refuses what is out of its range; so whatever the bytes say, it can be written and read back.
TEST(ScenarioBytes, AnyBytesAreAScenarioThatAFileMayHold) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Dice dice(seed, 0);
    const auto bytes = random_bytes(dice, dice.below(kMostScenarioBytes + 20));
    const Scenario scenario = scenario_from_bytes(bytes, platforms());
    const auto again = parse_scenario(scenario_text(scenario), "text");
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(*again, scenario) << "seed " << seed;
    EXPECT_NE(find_platform(platforms(), scenario.platform), nullptr);
  }
}

TEST(ScenarioBytes, EveryKindComesUpAndSlowOnesOnlyWhereTheyAreAskedFor) {
  std::set<OperationKind> usual;
  std::set<OperationKind> all;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed, 1);
    auto bytes = random_bytes(dice, kMostScenarioBytes);
    bytes[kSlowByte] = 0;
    for (const Operation& operation : scenario_from_bytes(bytes, platforms()).operations) usual.insert(operation.kind);
    bytes[kSlowByte] = kSlow;
    for (const Operation& operation : scenario_from_bytes(bytes, platforms()).operations) all.insert(operation.kind);
  }
  EXPECT_EQ(all.size(), kOperationKinds);
  EXPECT_EQ(usual.size(), kOperationKinds - 2);
  EXPECT_EQ(usual.count(OperationKind::kFork) + usual.count(OperationKind::kRace), 0u);
}

TEST(ScenarioBytes, ABudgetIsOneToFourSpans) {
  std::vector<std::uint8_t> bytes(kRecordBytes);
  bytes[kPolicyByte] = static_cast<std::uint8_t>(svmrt::fixed_policies().size());
  bytes[kBudgetBytes] = 2;  // 4 KiB
  for (const std::uint8_t times : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{4}}) {
    bytes[kBudgetTimesByte] = times;
    EXPECT_EQ(scenario_from_bytes(bytes, platforms()).policy.limit(), svmrt::Bytes(4096 * (times % 4 + 1)));
  }
  bytes[kBudgetBytes] = 15;  // 2^63
  EXPECT_EQ(scenario_from_bytes(bytes, platforms()).policy.limit(), svmrt::Bytes(std::uint64_t{4} << 30));
}

TEST(ScenarioBytes, OperationsPastTheLastAreLeftOut) {
  const std::vector<std::uint8_t> bytes(kMostScenarioBytes + 5 * kRecordBytes);
  EXPECT_EQ(scenario_from_bytes(bytes, platforms()).operations.size(), kMostFuzzedOperations);
}

TEST(ScenarioBytes, ByteThatIsChangedChangesOneOperationOnly) {
  Dice dice(7, 0);
  const auto bytes = random_bytes(dice, kMostScenarioBytes);
  const Scenario before = scenario_from_bytes(bytes, platforms());
  for (std::size_t at = kRecordBytes; at < bytes.size(); ++at) {
    auto changed = bytes;
    changed[at] = static_cast<std::uint8_t>(changed[at] + 1);
    const Scenario after = scenario_from_bytes(changed, platforms());
    if (after.operations.size() != before.operations.size()) continue;  // became or was a slow one
    std::size_t differ = 0;
    for (std::size_t i = 0; i < after.operations.size(); ++i) {
      if (!(after.operations[i] == before.operations[i])) ++differ;
    }
    EXPECT_LE(differ, 1u) << "byte " << at;
  }
}

TEST(ScenarioBytes, ScenarioIsReadBackFromItsBytes) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Dice dice(seed, 2);
    const Scenario scenario = scenario_from_bytes(random_bytes(dice, kMostScenarioBytes), platforms());
    const auto bytes = bytes_from_scenario(scenario, platforms());
    ASSERT_TRUE(bytes.has_value()) << scenario_text(scenario);
    EXPECT_EQ(scenario_from_bytes(*bytes, platforms()), scenario) << "seed " << seed;
  }
}

// The bugs that people reported are the corpus.
TEST(ScenarioBytes, ReportedBugsHaveBytesWhichTheCorpusHolds) {
  std::size_t with_bytes = 0;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SVMSIM_FIXTURES_DIR) + "/bugs")) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const Scenario scenario = load_scenario(entry.path().string()).value();
    const auto bytes = bytes_from_scenario(scenario, platforms());
    if (!bytes) continue;
    ++with_bytes;
    EXPECT_EQ(scenario_from_bytes(*bytes, platforms()), bare(scenario)) << entry.path();
    std::ifstream file(std::string(SVMSIM_FIXTURES_DIR) + "/corpus/fuzz_lifetime/" + entry.path().stem().string(),
                       std::ios::binary);
    const std::vector<std::uint8_t> shipped{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(shipped, *bytes) << entry.path() << ": fixtures/corpus/README.md says how to write it again";
  }
  EXPECT_GE(files, 30u);
  EXPECT_GE(with_bytes * 4, files * 3) << "of " << files;
}

TEST(ScenarioBytes, ScenarioThatBytesCannotSayHasNone) {
  Scenario scenario;
  scenario.operations = {{.kind = OperationKind::kAllocate, .run = kRunner, .size = 4096 + 127}};
  EXPECT_TRUE(bytes_from_scenario(scenario, platforms()).has_value());
  scenario.operations[0].size = 4096 + 2000;
  EXPECT_FALSE(bytes_from_scenario(scenario, platforms()).has_value()) << "far from every landmark";
  scenario.operations.assign(kMostFuzzedOperations + 1, {.kind = OperationKind::kFinalize});
  EXPECT_FALSE(bytes_from_scenario(scenario, platforms()).has_value()) << "too many operations";
  scenario.operations.clear();
  scenario.platform = "nowhere";
  EXPECT_FALSE(bytes_from_scenario(scenario, platforms()).has_value());
  scenario.platform = "a2a3";
  scenario.backing = BackingKind::kMmu;
  EXPECT_FALSE(bytes_from_scenario(scenario, platforms()).has_value());
}

}  // namespace
}  // namespace svmsim
