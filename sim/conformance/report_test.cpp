// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/conformance/testing/shipped_scripts.h"

namespace svmsim {
namespace {

// One script for v2: cases are rule, name, and the code that a free of null must answer. The driver answers 3 (P5).
struct FreeCase {
  std::string rule;
  int code;
};
ConformanceScript script_of(const std::vector<FreeCase>& cases, const std::string& needs = "") {
  std::string text = "name = 's'\ndescription = 'd'\nsource = 'x'\npersonality = 'v2'\n" + needs;
  int number = 0;
  for (const FreeCase& one : cases) {
    text += "[[case]]\nrule = '" + one.rule + "'\nname = 'Case" + std::to_string(++number) +
            "'\nsteps = [{ call = 'halMemFree', pp = 'null', code = " + std::to_string(one.code) + " }]\n";
  }
  auto script = parse_conformance_script(text, "s.toml");
  if (!script) {
    ADD_FAILURE() << script.error().message();
    return {};
  }
  return *std::move(script);
}

ConformanceReport report_of(const std::vector<ConformanceScript>& scripts, const Platform& platform = {}) {
  const AddressLayout layout{svmrt::DeviceAddr(kDriverFirstBlock), svmrt::Bytes(std::uint64_t{1} << 40)};
  return run_scripts_in_process(scripts, platform, layout, surroundings_of(platform));
}

const RuleReport& rule_of(const ConformanceReport& report, const std::string& name) {
  for (const RuleReport& rule : report.rules) {
    if (rule.rule == name) return rule;
  }
  ADD_FAILURE() << name;
  return report.rules.front();
}

TEST(ConformanceReport, ListsEveryRuleOfTheDriverInTheirOrder) {
  std::vector<std::string> names;
  for (const RuleReport& rule : report_of(shipped_scripts()).rules) names.push_back(rule.rule);
  EXPECT_THAT(names, testing::ElementsAre("P1", "P2", "P3", "P4", "P5", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8",
                                          "R9", "R10", "R11", "R12", "U1", "U2", "U3", "U4", "U5", "F1", "F2", "F2a",
                                          "F2b", "F3", "F4"));
}

TEST(ConformanceReport, EachPersonalityAgreesWithItsRulesAndTheOthersDoNotApply) {
  const ConformanceReport v2 = report_of(shipped_scripts());
  EXPECT_TRUE(v2.agrees());
  EXPECT_EQ(v2.agreeing_permille(), 1000U);
  EXPECT_EQ(rule_of(v2, "F2").verdict(), CaseVerdict::kAgrees);
  EXPECT_EQ(rule_of(v2, "F2").reason, "");
  EXPECT_EQ(rule_of(v2, "F1").verdict(), CaseVerdict::kNotApplicable);
  EXPECT_EQ(rule_of(v2, "F1").reason, "needs personality v3, there is v2");
  EXPECT_EQ(rule_of(v2, "R11").reason, "it needs a call in a forked child");

  Platform a5;
  a5.personality = Personality::kV3;
  const ConformanceReport v3 = report_of(shipped_scripts(), a5);
  EXPECT_TRUE(v3.agrees());
  EXPECT_EQ(rule_of(v3, "F1").verdict(), CaseVerdict::kAgrees);
  EXPECT_EQ(rule_of(v3, "F2").reason, "needs personality v2, there is v3");
}

TEST(ConformanceReport, OneDeviationOfARuleIsOneOfTheRuleAndOfTheDriver) {
  const ConformanceReport report = report_of({script_of({{"P5", 3}, {"P5", 8}, {"U2", 3}})});
  EXPECT_EQ(rule_of(report, "P5").verdict(), CaseVerdict::kDeviates);
  EXPECT_EQ(rule_of(report, "P5").cases.agrees, 1U);
  EXPECT_EQ(rule_of(report, "P5").cases.deviates, 1U);
  EXPECT_EQ(rule_of(report, "U2").verdict(), CaseVerdict::kAgrees);
  EXPECT_FALSE(report.agrees());
  EXPECT_EQ(report.cases.agrees, 2U);
  EXPECT_EQ(report.agreeing_permille(), 666U);
  ASSERT_EQ(report.scripts.size(), 1U);
  EXPECT_EQ(report.scripts[0].cases[1].message(),
            "P5 Case2: step 1, halMemFree(null): expected code 8 PARA_ERROR, seen code 3 INVALID_VALUE");
}

TEST(ConformanceReport, DriverOfWhichNothingCanBeAskedDoesNotAgree) {
  const ConformanceReport report = report_of({script_of({{"P5", 3}}, "[needs]\nhost_page = 65536\n")});
  EXPECT_EQ(report.cases.not_applicable, 1U);
  EXPECT_FALSE(report.agrees());
  EXPECT_EQ(report.agreeing_permille(), 0U);
  EXPECT_EQ(rule_of(report, "P5").reason, "needs host_page 65536, there is 4096");
}

TEST(ConformanceReport, OneOfAThousandIsNotRoundedAway) {
  ConformanceReport report;
  report.cases = {9999, 1, 0};
  EXPECT_EQ(report.agreeing_permille(), 999U);
}

}  // namespace
}  // namespace svmsim
