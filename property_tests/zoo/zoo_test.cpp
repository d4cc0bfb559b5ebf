// SPDX-License-Identifier: Apache-2.0
// Every planted fault must be caught by the properties, within 1,000 cases, and shrunk to at most 12 operations. Prints
// a line per fault: which property caught it, after how many cases, how small the failure became.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "property_tests/campaign.h"
#include "property_tests/generator.h"
#include "property_tests/testing/shipped_platforms.h"
#include "property_tests/zoo/planted.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kMostCases = 1000;
constexpr std::size_t kMostOperations = 12;

CampaignResult campaign_against(const std::string& fault) {
  CampaignOptions options;
  options.cases = kMostCases;
  options.hang_seconds = 20;
  const Judge judge = [&](const Scenario& scenario) {
    svmrt::plant(fault);
    ScenarioResult result = run_scenario(scenario, platforms());
    svmrt::plant_nothing();
    return result;
  };
  return run_campaign(
      options, [](std::uint64_t index) { return draw_scenario(platforms(), {}, kSeed, index); }, judge);
}

class Zoo : public ::testing::TestWithParam<svmrt::PlantedFaultInfo> {};

TEST_P(Zoo, FaultIsCaughtAndShrunk) {
  const std::string fault(GetParam().name);
  const CampaignResult result = campaign_against(fault);
  ASSERT_EQ(result.error, "");
  if (!result.failure) {
    fmt::print("{:42} NOT CAUGHT in {} cases: {}\n", fault, result.cases, GetParam().about);
    FAIL() << fault << " was not caught: " << GetParam().about;
  }
  const CampaignFailure& caught = *result.failure;
  fmt::print("{:42} {:11} after {:4} cases, {:2} operations\n", fault, caught.failure.property, result.cases,
             caught.shrunk.operations.size());
  std::fflush(stdout);
  std::string operations;
  for (const Operation& operation : caught.shrunk.operations) operations += "\n  " + operation_text(operation);
  EXPECT_LE(caught.shrunk.operations.size(), kMostOperations)
      << caught.shrunk.platform << ", " << svmrt::policy_name(caught.shrunk.policy) << operations << "\n"
      << caught.failure.property << ": " << caught.failure.message;
}

std::string name_of(const ::testing::TestParamInfo<svmrt::PlantedFaultInfo>& info) {
  std::string name(info.param.name);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Faults, Zoo,
                         ::testing::ValuesIn(svmrt::planted_faults().begin(), svmrt::planted_faults().end()), name_of);

TEST(ZooAtRest, RuntimeWithoutAPlantedFaultPasses) {
  CampaignOptions options;
  options.cases = 300;
  const CampaignResult result = run_campaign(
      options, [](std::uint64_t index) { return draw_scenario(platforms(), {}, kSeed, index); },
      [](const Scenario& scenario) { return run_scenario(scenario, platforms()); });
  EXPECT_EQ(result.error, "");
  EXPECT_FALSE(result.failure.has_value()) << result.failure->failure.property << result.failure->failure.message;
}

}  // namespace
}  // namespace svmsim
