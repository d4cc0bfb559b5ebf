// SPDX-License-Identifier: Apache-2.0
#include "property_tests/testing/property_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "property_tests/generator.h"
#include "property_tests/harness.h"

namespace svmsim {
namespace {

using testing::HasSubstr;

// Case i: i + 1 operations, the last of them a free.
Scenario drawn(std::uint64_t index) {
  Scenario scenario;
  scenario.operations.assign(index, Operation{.kind = OperationKind::kFinalize});
  scenario.operations.push_back({.kind = OperationKind::kFree, .slot = 3, .run = kRunner, .offset = 64});
  return scenario;
}

std::size_t frees(const Scenario& scenario) {
  return static_cast<std::size_t>(
      std::count_if(scenario.operations.begin(), scenario.operations.end(),
                    [](const Operation& operation) { return operation.kind == OperationKind::kFree; }));
}

// What expect_for_scenarios adds to the test, joined.
std::string failures_of(const std::function<void(const Scenario&)>& body, const CampaignOptions& options) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter collector(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    expect_for_scenarios(drawn, body, options);
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) text += results.GetTestPartResult(i).message();
  return text;
}

TEST(PropertyTest, BodyWhoseExpectationsHoldAddsNothing) {
  int calls = 0;
  const std::string failures = failures_of(
      [&](const Scenario& scenario) {
        ++calls;
        EXPECT_EQ(frees(scenario), 1u);
      },
      {.cases = 20, .isolated = false});
  EXPECT_EQ(failures, "");
  EXPECT_EQ(calls, 20);
}

TEST(PropertyTest, FailedExpectationIsNoticedAndShrunk) {
  for (const bool isolated : {false, true}) {
    const std::string failures =
        failures_of([](const Scenario& scenario) { EXPECT_LT(scenario.operations.size(), 5u); },
                    {.cases = 20, .isolated = isolated});
    // Case 4 is the first of five operations, and none can be left out.
    EXPECT_THAT(failures, HasSubstr("case 4 fails: expectation: "));
    EXPECT_THAT(failures, HasSubstr("5 of its 5 operations are left"));
    EXPECT_THAT(failures, HasSubstr("scenario.operations.size()"));
    // The free is as plain as it gets.
    EXPECT_THAT(failures, HasSubstr("{ do = \"free\", slot = 0, offset = 0, run = \"runner\" },"));
    EXPECT_THAT(failures, HasSubstr("{.kind = OperationKind::kFree, .slot = 0, .run = kRunner, .offset = 0},"));
    EXPECT_THAT(failures, HasSubstr("--gtest_filter=PropertyTest.FailedExpectationIsNoticedAndShrunk"));
  }
}

TEST(PropertyTest, FatalExpectationAndExceptionCountToo) {
  const std::string fatal = failures_of([](const Scenario& scenario) { ASSERT_EQ(frees(scenario), 0u) << "a free"; },
                                        {.first = 9, .cases = 1});
  EXPECT_THAT(fatal, HasSubstr("case 9 fails: expectation: "));
  EXPECT_THAT(fatal, HasSubstr("1 of its 10 operations are left"));
  EXPECT_THAT(fatal, HasSubstr("a free"));
  const std::string thrown = failures_of(
      [](const Scenario& scenario) {
        if (frees(scenario) > 0) throw std::runtime_error("no such luck");
      },
      {.first = 9, .cases = 1});
  EXPECT_THAT(thrown, HasSubstr("an exception: no such luck"));
  EXPECT_THAT(thrown, HasSubstr("1 of its 10 operations are left"));
}

TEST(PropertyTest, BodyThatKillsItsProcessIsShrunkAsACrash) {
  const std::string failures = failures_of(
      [](const Scenario& scenario) {
        if (frees(scenario) > 0) std::abort();
      },
      {.first = 9, .cases = 1});
  EXPECT_THAT(failures, HasSubstr("case 9 fails: crash: the process was killed by signal 6"));
  EXPECT_THAT(failures, HasSubstr("1 of its 10 operations are left"));
}

TEST(PropertyTest, CopyOnlyNeverRegistersForAnAccess) {
  const auto platforms = load_scenario_platforms(SVMSIM_FIXTURES_DIR);
  ASSERT_TRUE(platforms.has_value()) << platforms.error().message();
  expect_for_scenarios(
      [&](std::uint64_t index) {
        return draw_scenario(*platforms, {.platform = {}, .policy = svmrt::Policy::kCopyOnly}, 1, index);
      },
      [&](const Scenario& scenario) {
        const auto on_step = [](const StepReport& step) {
          if (step.operation.kind != OperationKind::kRead) return;
          for (const CallRecord& call : step.calls) EXPECT_NE(call.kind, CallKind::kRegister);
        };
        EXPECT_EQ(run_scenario(scenario, *platforms, on_step).failure, std::nullopt);
      },
      {.cases = 100});
}

TEST(PropertyTest, WithoutTrialsTheDrawnScenarioIsReported) {
  const std::string failures =
      failures_of([](const Scenario&) { EXPECT_TRUE(false) << "always"; }, {.cases = 1, .most_trials = 0});
  EXPECT_THAT(failures, HasSubstr("after 0 trials"));
  EXPECT_THAT(failures, HasSubstr("always"));
}

}  // namespace
}  // namespace svmsim
