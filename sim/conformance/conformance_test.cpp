// SPDX-License-Identifier: Apache-2.0
// Every script of fixtures/conformance on the simulated driver it was written for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sim/conformance/in_process_port.h"
#include "sim/conformance/runner.h"
#include "sim/conformance/testing/shipped_scripts.h"
#include "sim/driver/recording_backing.h"

namespace svmsim {
namespace {

constexpr char kFolder[] = SVMSIM_FIXTURES_DIR "/conformance/";

// P1: device memory of v2 starts at 0x12c000000000 and ends at 0x180000000000. v3 gets the same here.
constexpr AddressLayout kLayout{DeviceAddr(0x12c000000000), Bytes(0x180000000000 - 0x12c000000000)};

class ConformanceFile : public testing::TestWithParam<std::string> {};

TEST_P(ConformanceFile, SimulatedDriverAgreesWithEveryCase) {
  const ConformanceScript script = shipped_script(GetParam());
  ASSERT_FALSE(script.cases.empty());
  EXPECT_EQ(script.name, GetParam());
  RecordingBacking backing;
  {
    InProcessPort port(platform_for(script), kLayout, backing);
    for (const CaseOutcome& outcome : run_script(script, port)) {
      EXPECT_EQ(outcome.verdict, CaseVerdict::kAgrees) << outcome.message();
    }
  }
  EXPECT_THAT(backing.misuse(), testing::IsEmpty());
  EXPECT_EQ(backing.mapped_bytes(), Bytes(0));
  EXPECT_EQ(backing.populated_bytes(), Bytes(0));
}
INSTANTIATE_TEST_SUITE_P(All, ConformanceFile, testing::ValuesIn(shipped_script_names()),
                         [](const auto& one) { return one.param; });

TEST(ConformanceFolder, EveryScriptIsNamedHere) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().filename() != "README.md") found.push_back(entry.path().filename());
  }
  std::vector<std::string> named;
  for (const std::string& name : shipped_script_names()) named.push_back(name + ".toml");
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(named));
}

// P4 belongs to the ACL layer, R11 needs a second process, R12 is no rule, F4 faults.
TEST(ConformanceFolder, EveryRuleOfTheDriverHasACase) {
  std::set<std::string> v2;
  std::set<std::string> v3;
  for (const std::string& name : shipped_script_names()) {
    const ConformanceScript script = shipped_script(name);
    for (const ConformanceCase& one : script.cases) {
      (script.personality == Personality::kV2 ? v2 : v3).insert(one.rule);
    }
  }
  EXPECT_THAT(v2, testing::UnorderedElementsAre("P1", "P2", "P3", "P5", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8",
                                                "R9", "R10", "U1", "U2", "U3", "U4", "U5", "F2", "F2a", "F2b", "F3"));
  EXPECT_THAT(v3, testing::UnorderedElementsAre("P1", "P2", "P5", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R10",
                                                "U1", "U2", "U4", "U5", "F1", "F3"));
}

// The scripts tell a driver that keeps its rules from one that has none.
TEST_P(ConformanceFile, IdentitySimulatorInItsPlaceDeviates) {
  ConformanceScript script = shipped_script(GetParam());
  script.personality = Personality::kIdentity;
  RecordingBacking backing;
  InProcessPort port(platform_for(script), kLayout, backing);
  std::size_t deviations = 0;
  for (const CaseOutcome& outcome : run_script(script, port)) {
    deviations += outcome.verdict == CaseVerdict::kDeviates ? 1 : 0;
  }
  EXPECT_GT(deviations, 0u);
}

}  // namespace
}  // namespace svmsim
