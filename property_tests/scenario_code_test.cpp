// SPDX-License-Identifier: Apache-2.0
// The text by hand, and generated code that is compiled here and must build the scenarios it was generated from.
#include "property_tests/scenario_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "property_tests/harness.h"
#include "property_tests/testing/scenario_samples.h"
#include "property_tests/testing/shipped_platforms.h"

namespace svmsim {
namespace {

TEST(ScenarioCode, NamesUsedFieldsInTheOrderOfTheMembers) {
  Scenario scenario;
  scenario.name = "free-in_use2";
  scenario.policy = svmrt::Policy::budget(svmrt::Bytes(65536));
  scenario.operations = {
      {.kind = OperationKind::kAllocate, .slot = 1, .run = kRunner, .size = 4096},
      {.kind = OperationKind::kFailNext, .call = CallKind::kCopyToDevice, .code = svmrt::DriverCode::kBusy},
      {.kind = OperationKind::kFinalize}};
  EXPECT_EQ(scenario_code(scenario),
            "TEST(FoundScenario, FreeInUse2) {\n"
            "  Scenario scenario;\n"
            "  scenario.name = \"free-in_use2\";\n"
            "  scenario.platform = \"a2a3\";\n"
            "  scenario.policy = svmrt::Policy::budget(svmrt::Bytes(65536));\n"
            "  scenario.operations = {\n"
            "      {.kind = OperationKind::kAllocate, .slot = 1, .run = kRunner, .size = 4096},\n"
            "      {.kind = OperationKind::kFailNext, .call = CallKind::kCopyToDevice, .code = "
            "svmrt::DriverCode{13}},\n"
            "      {.kind = OperationKind::kFinalize},\n"
            "  };\n"
            "  EXPECT_EQ(run_scenario(scenario, platforms()).failure, std::nullopt);\n"
            "}\n");
}

TEST(ScenarioCode, NameThatIsNoIdentifierGetsAWordInFront) {
  Scenario scenario;
  EXPECT_EQ(scenario_code(scenario).find("TEST(FoundScenario, Case) {"), 0u);
  scenario.name = "7-days";
  EXPECT_EQ(scenario_code(scenario).find("TEST(FoundScenario, Case7Days) {"), 0u);
}

namespace generated {

// What the generated tests call: the harness, after a look at what they built.
const auto run_scenario = [](const Scenario& scenario, const ScenarioPlatforms& scenario_platforms) {
  const std::vector<Scenario> samples = scenario_samples();
  EXPECT_NE(std::find(samples.begin(), samples.end(), scenario), samples.end()) << scenario.name;
  ScenarioResult result = svmsim::run_scenario(scenario, scenario_platforms);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.operations, scenario.operations.size());
  return result;
};

#include "scenario_code_sample.inc"

}  // namespace generated
}  // namespace
}  // namespace svmsim
