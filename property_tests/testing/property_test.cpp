// SPDX-License-Identifier: Apache-2.0
#include "property_tests/testing/property_test.h"

#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <utility>

#include "property_tests/scenario_code.h"
#include "property_tests/scenario_file.h"

namespace svmsim {

namespace {

// The first failed expectation; empty when all held.
std::string first_failure(const testing::TestPartResultArray& results) {
  for (int i = 0; i < results.size(); ++i) {
    const testing::TestPartResult& part = results.GetTestPartResult(i);
    if (!part.failed()) continue;
    const std::string file = part.file_name() == nullptr ? "" : part.file_name();
    return fmt::format("{}:{}: {}", file, part.line_number(), part.message());
  }
  return "";
}

std::string report(const CampaignFailure& found) {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      test == nullptr ? "" : fmt::format("\nrun it again: --gtest_filter={}.{}", test->test_suite_name(), test->name());
  return fmt::format("case {} fails: {}: {}\n{} of its {} operations are left after {} trials:\n\n{}\n{}{}",
                     found.index, found.failure.property, found.failure.message, found.shrunk.operations.size(),
                     found.drawn.operations.size(), found.trials, scenario_text(found.shrunk),
                     scenario_code(found.shrunk), filter);
}

}  // namespace

Judge judge_by_expectations(std::function<void(const Scenario&)> body) {
  return [body = std::move(body)](const Scenario& scenario) {
    testing::TestPartResultArray results;
    std::string thrown;
    {
      const testing::ScopedFakeTestPartResultReporter collector(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      try {
        body(scenario);
      } catch (const std::exception& error) {
        thrown = fmt::format("an exception: {}", error.what());
      }
    }
    ScenarioResult result;
    result.operations = scenario.operations.size();
    std::string message = thrown.empty() ? first_failure(results) : thrown;
    if (!message.empty()) result.failure = Failure{"expectation", scenario.operations.size(), std::move(message)};
    return result;
  };
}

void expect_for_scenarios(const Drawer& draw, const std::function<void(const Scenario&)>& body,
                          const CampaignOptions& options) {
  const CampaignResult result = run_campaign(options, draw, judge_by_expectations(body));
  if (!result.error.empty()) ADD_FAILURE() << result.error;
  if (result.failure) ADD_FAILURE() << report(*result.failure);
}

}  // namespace svmsim
