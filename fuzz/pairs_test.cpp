// SPDX-License-Identifier: Apache-2.0
// That the comparisons of fuzz_differential find what they are for, and reach where the rules are.
#include "fuzz/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "fuzz/machine_side.h"
#include "fuzz/operation_mutator.h"
#include "fuzz/platforms_or_exit.h"
#include "fuzz/scenario_bytes.h"

namespace svmsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const ScenarioPlatform& platform_named(const std::string& name) { return *find_platform(platforms_or_exit(), name); }

Scenario mapped_and_freed() {
  Scenario scenario;
  scenario.operations = {{.kind = OperationKind::kAllocate, .run = 0, .size = 8192},
                         {.kind = OperationKind::kOpenRun, .run = 0},
                         {.kind = OperationKind::kRegister, .size = 4096},
                         {.kind = OperationKind::kDownload, .size = 4},
                         {.kind = OperationKind::kFree}};
  return scenario;
}

std::string compare_machines(const Scenario& scenario, const Platform& one, const Platform& other) {
  auto first = Machine::create(one, platform_named("a2a3").cost).value();
  auto second = Machine::create(other, platform_named("a2a3").cost).value();
  MachineSide here(*first);
  MachineSide there(*second);
  return compare_sides(scenario, here, "one", there, "other");
}

TEST(ComparedSides, EqualMachinesAtTwoPlacesDoNotDiffer) {
  const Platform platform = platform_named("a2a3").platform;
  EXPECT_EQ(compare_machines(mapped_and_freed(), platform, platform), "");
}

TEST(ComparedSides, CodeThatDiffersIsNamedWithItsCall) {
  Platform refusing = platform_named("a2a3").platform;
  refusing.host = HostKind::kVmWithoutWc;
  EXPECT_THAT(compare_machines(mapped_and_freed(), platform_named("a2a3").platform, refusing),
              AllOf(HasSubstr("operation 2, halHostRegister slot 0, offset 0, size 4096"),
                    HasSubstr("one answered code 0"), HasSubstr("other code 65534")));
}

TEST(ComparedSides, StateThatDiffersIsNamed) {
  auto first = Machine::create(platform_named("a2a3").platform, platform_named("a2a3").cost).value();
  auto second = Machine::create(platform_named("a2a3").platform, platform_named("a5").cost).value();
  MachineSide here(*first);
  MachineSide there(*second);
  EXPECT_THAT(compare_sides(mapped_and_freed(), here, "one", there, "other"),
              AllOf(HasSubstr("operation 2, halHostRegister"), HasSubstr("one holds blocks 0x0+8192 ordinary"),
                    HasSubstr("ns, other blocks")));
}

TEST(ComparedRuns, BackingsAgreeAndPoliciesDoNot) {
  Scenario scenario;
  scenario.operations = {{.kind = OperationKind::kAllocate, .run = kRunner, .size = 4096},
                         {.kind = OperationKind::kOpenRun},
                         {.kind = OperationKind::kClaim, .size = 4096},
                         {.kind = OperationKind::kRead, .size = 4}};
  EXPECT_EQ(compare_backings(scenario, platforms_or_exit()), "");
  Scenario copying = scenario;
  copying.policy = svmrt::Policy::kCopyOnly;
  EXPECT_THAT(compare_runs({"mapping", scenario}, {"copying", copying}, platforms_or_exit()),
              AllOf(HasSubstr("operation 3, read run 0"), HasSubstr("driver call 0: register"), HasSubstr("copying")));
}

// Walks of the mutator, on every platform and on hosts that no platform file has.
TEST(ComparedRules, WalksReachTheCodesOfTheRules) {
  std::set<std::pair<DriverCallKind, std::int32_t>> v2;
  std::set<std::pair<DriverCallKind, std::int32_t>> v3;
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t seed = 0; seed < 30'000; ++seed) {
    if (seed % 64 == 0) bytes.clear();
    bytes = mutated(bytes, kMostScenarioBytes, seed);
    const Scenario scenario = scenario_from_bytes(bytes, platforms_or_exit());
    Platform platform = platforms_or_exit()[seed % platforms_or_exit().size()].platform;
    if (seed % 5 == 0) platform.host_page = Bytes(65536);
    auto& seen = platform.personality == Personality::kV3 ? v3 : v2;
    ASSERT_EQ(compare_with_rules(
                  scenario, platform,
                  [&](const DriverCall& call, const DriverAnswer& answer) { seen.emplace(call.kind, answer.code); }),
              "")
        << "seed " << seed;
  }
  for (const std::int32_t code : {0, 3, 6}) EXPECT_TRUE(v2.contains({DriverCallKind::kAlloc, code})) << code;
  for (const std::int32_t code : {0, 3, 13}) EXPECT_TRUE(v2.contains({DriverCallKind::kFree, code})) << code;
  for (const std::int32_t code : {0, 2, 8, 65534}) EXPECT_TRUE(v2.contains({DriverCallKind::kRegister, code})) << code;
  for (const std::int32_t code : {0, 8, 11, 38}) EXPECT_TRUE(v2.contains({DriverCallKind::kUnregister, code})) << code;
  for (const std::int32_t code : {0, 8, 38, 65534})
    EXPECT_TRUE(v2.contains({DriverCallKind::kUnregisterEx, code})) << code;
  for (const std::int32_t code : {0, 6, 65534}) EXPECT_TRUE(v3.contains({DriverCallKind::kAlloc, code})) << code;
  for (const std::int32_t code : {0, 3, 13}) EXPECT_TRUE(v3.contains({DriverCallKind::kFree, code})) << code;
  for (const std::int32_t code : {0, 2, 8, 12, 65534})
    EXPECT_TRUE(v3.contains({DriverCallKind::kRegister, code})) << code;
  for (const std::int32_t code : {0, 8, 65534}) EXPECT_TRUE(v3.contains({DriverCallKind::kUnregister, code})) << code;
  for (const std::int32_t code : {0, 8, 38, 65534})
    EXPECT_TRUE(v3.contains({DriverCallKind::kUnregisterEx, code})) << code;
}

}  // namespace
}  // namespace svmsim
