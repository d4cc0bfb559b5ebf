// SPDX-License-Identifier: Apache-2.0
// The bugs that people really had, as scenarios in fixtures/bugs: each passes on the right runtime, and fails as soon
// as the planted fault that causes it is at work. Prints which property sees each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "property_tests/isolation.h"
#include "property_tests/scenario_file.h"
#include "property_tests/testing/shipped_platforms.h"
#include "property_tests/zoo/planted.h"
#include "sim/config/fixture_file.h"

namespace svmsim {
namespace {

// The rows of the list, sorted.
const std::vector<std::string> kRows = {"C1", "C2", "D1", "D2", "D3", "D4", "D5", "D6", "F1",  "F2", "F3", "G1",
                                        "G2", "G3", "G4", "G5", "G6", "G7", "L1", "L2", "L3",  "L4", "L5", "L6",
                                        "M1", "M2", "M3", "N1", "N2", "Q1", "Q2", "S1", "S10", "S2", "S3", "S4",
                                        "S5", "S6", "S7", "S8", "S9", "T1", "T2", "T3", "W1",  "W2", "W3"};
// No fault of the runtime can be their cause; their descriptions say why.
const std::vector<std::string> kWithoutFault = {"T3", "W1"};

class BugScenario : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto loaded = load_scenario(fixture_file(SVMSIM_FIXTURES_DIR, "bugs", GetParam()));
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    scenario_ = *std::move(loaded);
  }
  Scenario scenario_;
};

TEST_P(BugScenario, SaysWhatItIs) {
  EXPECT_EQ(scenario_.name, GetParam());
  EXPECT_NE(scenario_.description, "");
  EXPECT_NE(scenario_.source, "");
  const bool needs_none = std::find(kWithoutFault.begin(), kWithoutFault.end(), GetParam()) != kWithoutFault.end();
  EXPECT_EQ(scenario_.fault.empty(), needs_none);
}

TEST_P(BugScenario, ItsFaultNamesTheRow) {
  if (scenario_.fault.empty()) return;  // SaysWhatItIs knows which those are
  const auto faults = svmrt::planted_faults();
  const auto fault =
      std::find_if(faults.begin(), faults.end(), [&](const auto& one) { return one.name == scenario_.fault; });
  ASSERT_NE(fault, faults.end()) << scenario_.fault << " is no fault of property_tests/zoo/faults";
  const auto& rows = fault->scenarios;
  EXPECT_NE(std::find(rows.begin(), rows.end(), GetParam()), rows.end()) << scenario_.fault;
}

TEST_P(BugScenario, PassesOnTheRightRuntimeWithEveryOperationCarriedOut) {
  std::vector<std::string> skipped;
  const auto on_step = [&](const StepReport& step) {
    const bool is_operation = step.index < scenario_.operations.size();
    if (is_operation && step.outcome.answer == Answer::kSkipped) skipped.push_back(operation_text(step.operation));
  };
  const ScenarioResult result = run_scenario(scenario_, platforms(), on_step);
  EXPECT_EQ(result.error, "");
  EXPECT_FALSE(result.failure.has_value()) << result.failure->property << ": " << result.failure->message;
  EXPECT_EQ(skipped, std::vector<std::string>{});
}

TEST_P(BugScenario, FailsWithItsFault) {
  if (scenario_.fault.empty()) return;  // SaysWhatItIs knows which those are
  const Judge judge = [&](const Scenario& scenario) {
    svmrt::plant(scenario.fault);
    return run_scenario(scenario, platforms());
  };
  const BatchResult result = judge_batch_isolated(
      {0}, [&](std::uint64_t) { return scenario_; }, judge, 20);
  EXPECT_EQ(result.error, "");
  ASSERT_TRUE(result.failure.has_value()) << scenario_.fault << " was not caught";
  fmt::print("{:3} {:34} {}\n", GetParam(), scenario_.fault, result.failure->property);
  std::fflush(stdout);
}

INSTANTIATE_TEST_SUITE_P(Rows, BugScenario, ::testing::ValuesIn(kRows), [](const auto& row) { return row.param; });

TEST(BugScenarios, FolderHasExactlyTheRows) {
  const auto names = fixture_names_in(SVMSIM_FIXTURES_DIR, "bugs");
  ASSERT_TRUE(names.has_value()) << names.error();
  EXPECT_EQ(*names, kRows);
}

}  // namespace
}  // namespace svmsim
