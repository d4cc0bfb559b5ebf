// SPDX-License-Identifier: Apache-2.0
// Campaigns over invented scenarios and an invented judge.
#include "property_tests/campaign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "property_tests/shrinks.h"

namespace svmsim {
namespace {

// Case i: i % 7 + 1 operations, of which operation j has the value i * 100 + j.
Scenario drawn(std::uint64_t index) {
  Scenario scenario;
  for (std::uint64_t j = 0; j <= index % 7; ++j) {
    scenario.operations.push_back({.kind = OperationKind::kDeviceWrite, .value = index * 100 + j});
  }
  return scenario;
}

ScenarioResult judged(const Scenario& scenario) {
  ScenarioResult result;
  result.operations = scenario.operations.size();
  result.coverage.count(Landmark::kMapped);
  for (const Operation& operation : scenario.operations) result.digest += operation.value;
  return result;
}

// Fails on an operation with this value.
Judge judge_against(std::uint64_t value) {
  return [value](const Scenario& scenario) {
    ScenarioResult result = judged(scenario);
    for (const Operation& operation : scenario.operations) {
      if (operation.value == value) result.failure = Failure{"answer", 0, "found"};
    }
    return result;
  };
}

class Campaign : public ::testing::TestWithParam<bool> {};

TEST_P(Campaign, CountsCasesOperationsAndCoverage) {
  const CampaignResult result = run_campaign({.cases = 140, .isolated = GetParam()}, drawn, judged);
  EXPECT_EQ(result.cases, 140u);
  EXPECT_EQ(result.operations, 140u / 7 * (1 + 2 + 3 + 4 + 5 + 6 + 7));
  EXPECT_EQ(result.coverage.of(Landmark::kMapped), 140u);
  EXPECT_EQ(result.coverage.of(Landmark::kRefused), 0u);
  EXPECT_FALSE(result.failure.has_value());
  EXPECT_EQ(result.error, "");
}

TEST_P(Campaign, ShardsAddUpToTheWhole) {
  const CampaignResult whole = run_campaign({.first = 10, .cases = 333, .isolated = GetParam()}, drawn, judged);
  CampaignResult sum;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const CampaignResult shard =
        run_campaign({.first = 10, .cases = 333, .shard = {i, 4}, .isolated = GetParam()}, drawn, judged);
    EXPECT_GE(shard.cases, 83u);
    sum.cases += shard.cases;
    sum.operations += shard.operations;
    sum.coverage += shard.coverage;
    sum.digest += shard.digest;
  }
  EXPECT_EQ(sum.cases, whole.cases);
  EXPECT_EQ(sum.operations, whole.operations);
  EXPECT_EQ(sum.coverage, whole.coverage);
  EXPECT_EQ(sum.digest, whole.digest);
}

TEST_P(Campaign, DigestTellsWhichCaseCameToWhat) {
  const auto swapped = [](std::uint64_t index) { return drawn(index < 2 ? 1 - index : index); };
  const CampaignOptions options{.cases = 10, .isolated = GetParam()};
  EXPECT_NE(run_campaign(options, drawn, judged).digest, run_campaign(options, swapped, judged).digest);
}

TEST_P(Campaign, StopsAtTheFirstFailureAndShrinksIt) {
  // Operation 4 of case 60, which has five.
  const CampaignResult result =
      run_campaign({.cases = 100, .isolated = GetParam()}, drawn, judge_against(60 * 100 + 4));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.cases, 61u);
  EXPECT_EQ(result.failure->index, 60u);
  EXPECT_EQ(result.failure->drawn, drawn(60));
  EXPECT_EQ(result.failure->shrunk.operations,
            (std::vector<Operation>{{.kind = OperationKind::kDeviceWrite, .value = 6004}}));
  EXPECT_EQ(result.failure->failure, (Failure{"answer", 0, "found"}));
  EXPECT_GT(result.failure->trials, 0u);
  EXPECT_TRUE(result.failure->reproduced);
}

TEST_P(Campaign, FailureThatDoesNotComeAgainIsReportedAsSuch) {
  // Fails only in company: as the second scenario that one process judges.
  std::size_t judged_here = 0;
  const CampaignResult result =
      run_campaign({.cases = 10, .most_trials = 1, .isolated = GetParam()}, drawn, [&](const Scenario& scenario) {
        ScenarioResult verdict = judged(scenario);
        if (++judged_here == 2) verdict.failure = Failure{"answer", 0, "found"};
        return verdict;
      });
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->index, 1u);
  EXPECT_EQ(result.failure->trials, 1u);
  EXPECT_FALSE(result.failure->reproduced);
}

TEST_P(Campaign, WithoutTrialsTheDrawnScenarioIsKept) {
  const CampaignResult result =
      run_campaign({.cases = 10, .most_trials = 0, .isolated = GetParam()}, drawn, judge_against(604));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->shrunk, drawn(6));
  EXPECT_EQ(result.failure->trials, 0u);
}

TEST_P(Campaign, ScenarioThatCannotBeRunEndsItWithTheReason) {
  const CampaignResult result = run_campaign({.cases = 10, .isolated = GetParam()}, drawn, [](const Scenario&) {
    ScenarioResult none;
    none.error = "no such platform";
    return none;
  });
  EXPECT_EQ(result.error, "no such platform");
  EXPECT_EQ(result.cases, 1u);
}

TEST_P(Campaign, EndsWhereTheCallerSaysSo) {
  std::uint64_t asked = 0;
  const CampaignResult result =
      run_campaign({.cases = 1000, .isolated = GetParam()}, drawn, judged, [&](const CampaignResult& so_far) {
        asked = so_far.cases;
        return so_far.cases < 200;
      });
  EXPECT_EQ(result.cases, asked);
  EXPECT_GE(result.cases, 200u);
  EXPECT_LT(result.cases, 300u);
}

INSTANTIATE_TEST_SUITE_P(InProcessAndIsolated, Campaign, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Isolated" : "InProcess"; });

TEST(IsolatedCampaign, ScenarioThatKillsItsProcessIsFoundAndShrunk) {
  const CampaignResult result = run_campaign({.cases = 100}, drawn, [](const Scenario& scenario) {
    for (const Operation& operation : scenario.operations) {
      if (operation.value == 6004) std::abort();
    }
    return judged(scenario);
  });
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->index, 60u);
  EXPECT_EQ(result.cases, 61u);
  EXPECT_EQ(result.failure->failure.property, "crash");
  EXPECT_EQ(result.failure->failure.message, "the process was killed by signal 6");
  EXPECT_EQ(result.failure->shrunk.operations.size(), 1u);
}

TEST(IsolatedCampaign, ProcessThatEndsByItselfIsACrashToo) {
  const CampaignResult result = run_campaign({.cases = 3, .most_trials = 0}, drawn, [](const Scenario& scenario) {
    if (scenario.operations.size() == 3) std::_Exit(3);
    return judged(scenario);
  });
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->index, 2u);
  EXPECT_EQ(result.failure->failure.property, "crash");
  EXPECT_EQ(result.failure->failure.message, "the process ended with code 3");
}

TEST(Shrinks, WhatComesAfterTheFailureGoesFirst) {
  std::vector<std::size_t> lengths;
  const CampaignFailure shrunk = shrink(6, drawn(6), Failure{"answer", 2, "found"},
                                        [&](const Scenario& scenario) {
                                          lengths.push_back(scenario.operations.size());
                                          return judge_against(602)(scenario);
                                        },
                                        {.most_trials = 100, .isolated = false});
  ASSERT_FALSE(lengths.empty());
  EXPECT_EQ(lengths.front(), 3u);
  EXPECT_EQ(shrunk.shrunk.operations, (std::vector<Operation>{{.kind = OperationKind::kDeviceWrite, .value = 602}}));
  EXPECT_EQ(shrunk.drawn, drawn(6));
}

// Judged after others in one process, a variant may fail because of them.
TEST(Shrinks, VariantThatFailsOnlyAfterOthersIsNotTaken) {
  std::size_t judged_here = 0;  // by this process
  const CampaignFailure shrunk = shrink(6, drawn(6), Failure{"answer", 2, "found"},
                                        [&](const Scenario& scenario) {
                                          ScenarioResult result = judge_against(602)(scenario);
                                          if (++judged_here == 3 && !result.failure)
                                            result.failure = Failure{"answer", 0, "left behind"};
                                          return result;
                                        },
                                        {.most_trials = 100});
  ASSERT_EQ(shrunk.shrunk.operations, (std::vector<Operation>{{.kind = OperationKind::kDeviceWrite, .value = 602}}));
  EXPECT_EQ(shrunk.failure.message, judge_against(602)(shrunk.shrunk).failure->message);
}

TEST(Shrinks, MakesNoMoreTrialsThanItMay) {
  for (std::uint64_t most = 0; most < 30; ++most) {
    std::uint64_t judged_here = 0;
    const Judge judge = [&](const Scenario& scenario) {
      ++judged_here;
      return judge_against(602)(scenario);
    };
    const CampaignOptions options{.most_trials = most, .isolated = false};
    const CampaignFailure shrunk = shrink(6, drawn(6), Failure{"answer", 2, "found"}, judge, options);
    EXPECT_LE(judged_here, most);
    EXPECT_EQ(shrunk.trials, judged_here);
  }
}

TEST(Shrinks, TreeHoldsNoVariantTwiceAsLongOrEqual) {
  const Scenario scenario = drawn(6);
  auto variants = shrinkable_of(scenario).shrinks();
  std::size_t seen = 0;
  while (const auto variant = variants.next()) {
    ++seen;
    EXPECT_LE(variant->value().operations.size(), scenario.operations.size());
    EXPECT_NE(variant->value(), scenario);
  }
  EXPECT_GT(seen, scenario.operations.size());
}

}  // namespace
}  // namespace svmsim
