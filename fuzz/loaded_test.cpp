// SPDX-License-Identifier: Apache-2.0
// That the pair of the loaded libraries agrees, and finds what is planted: an environment of theirs that is another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/fixtures_folder.h"
#include "fuzz/loaded_side.h"
#include "fuzz/operation_mutator.h"
#include "fuzz/pairs.h"
#include "fuzz/platform_file.h"
#include "fuzz/platforms_or_exit.h"
#include "fuzz/scenario_bytes.h"

namespace svmsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A block that is written, mapped, read and mapped once more, and left so.
Scenario left_mapped() {
  Scenario scenario;
  scenario.operations = {{.kind = OperationKind::kOpenRun, .run = 0},
                         {.kind = OperationKind::kAllocate, .run = kRunner, .size = 8192},
                         {.kind = OperationKind::kUpload, .size = 4, .value = 7},
                         {.kind = OperationKind::kRegister, .size = 8192},
                         {.kind = OperationKind::kDownload, .size = 4},
                         {.kind = OperationKind::kCloseViews, .run = 0},
                         {.kind = OperationKind::kStrangerUnmaps},
                         {.kind = OperationKind::kRegister, .size = 4096}};
  return scenario;
}

LoadedVariables variables_of(const PlatformFile& platform) {
  return {{"SVMSIM_PLATFORM", platform.path()}, {"SVMSIM_REPORT", "-"}};
}

std::string compare(const Scenario& scenario, const LoadedVariables& in_process, const LoadedVariables& loaded) {
  const auto environment = read_environment(in_process, fixtures_folder());
  EXPECT_TRUE(environment.has_value()) << environment.error();
  return compare_loaded(scenario, *environment, loaded);
}

// What is found when `variables` are those of the loaded libraries alone.
std::string planted(const LoadedVariables& variables) {
  const PlatformFile platform("a2a3", AddressReuse::kDriver);
  LoadedVariables loaded = variables_of(platform);
  for (const auto& [name, value] : variables) loaded[name] = value;
  return compare(left_mapped(), variables_of(platform), loaded);
}

TEST(ComparedLoaded, IsPossibleInTheBuildTree) { EXPECT_TRUE(LoadedSide::is_possible()); }

TEST(ComparedLoaded, LibrariesAgreeOnEveryPlatformAndReuse) {
  std::vector<std::uint8_t> bytes;
  std::uint64_t seed = 0;
  for (const ScenarioPlatform& each : platforms_or_exit()) {
    for (const AddressReuse reuse : {AddressReuse::kDriver, AddressReuse::kLifo, AddressReuse::kQuarantine}) {
      const PlatformFile file(each.platform.name, reuse);
      LoadedVariables variables = variables_of(file);
      variables["SVMSIM_BACKING"] = reuse == AddressReuse::kLifo ? "plain" : "mmu";
      EXPECT_EQ(compare(left_mapped(), variables, variables), "") << each.platform.name;
      for (int step = 0; step < 16; ++step) bytes = mutated(bytes, kMostScenarioBytes, ++seed);
      const Scenario scenario = scenario_from_bytes(bytes, platforms_or_exit());
      EXPECT_EQ(compare(scenario, variables, variables), "") << each.platform.name << ", seed " << seed;
    }
  }
}

TEST(ComparedLoaded, NothingAskedIsNoDifference) {
  const PlatformFile platform("a5", AddressReuse::kDriver);
  EXPECT_EQ(compare({}, variables_of(platform), variables_of(platform)), "");
}

TEST(ComparedLoaded, OtherCodeIsNamedWithItsCall) {
  const PlatformFile vm("a2a3-vm", AddressReuse::kDriver);
  EXPECT_THAT(planted({{"SVMSIM_PLATFORM", vm.path()}}),
              AllOf(HasSubstr("operation 3, halHostRegister slot 0, offset 0, size 8192"),
                    HasSubstr("in process answered code 0"), HasSubstr("loaded code 65534")));
}

// An allocation costs nothing on either.
TEST(ComparedLoaded, OtherTimeIsNamedWithItsCall) {
  const PlatformFile costless("identity", AddressReuse::kDriver);
  EXPECT_THAT(planted({{"SVMSIM_PLATFORM", costless.path()}}),
              AllOf(HasSubstr("operation 2, aclrtMemcpy to the device"), HasSubstr("in process holds"),
                    HasSubstr("loaded blocks, mapped, 0 ns")));
}

// The same driver under another name: what calls answer is equal, and what is reported is not.
TEST(ComparedLoaded, OtherReportIsShown) {
  const PlatformFile lenient("lenient", AddressReuse::kDriver);
  EXPECT_THAT(planted({{"SVMSIM_PLATFORM", lenient.path()}}),
              AllOf(HasSubstr("in process reports\nsimulated NPU: platform a2a3,"),
                    HasSubstr("loaded\nsimulated NPU: platform lenient,")));
}

TEST(ComparedLoaded, FaultOfTheLibrariesIsFound) {
  EXPECT_THAT(planted({{"SVMSIM_FAULTS", "refused-register"}}), HasSubstr("loaded code"));
}

TEST(ComparedLoaded, FunctionThatIsAbsentIsFound) {
  EXPECT_THAT(planted({{"SVMSIM_OMIT", "halMemHostGetDevPointer"}}),
              AllOf(HasSubstr("operation 5, halMemHostGetDevPointer"), HasSubstr("halMemHostGetDevPointer is absent")));
}

TEST(ComparedLoaded, ProcessThatEndsSaysWhy) {
  EXPECT_THAT(planted({{"SVMSIM_BACKING", "none"}}), AllOf(HasSubstr("the process ended with exit code 2"),
                                                           HasSubstr("found \"none\"; allowed: mmu or plain")));
  EXPECT_THAT(planted({{"SVMSIM_STRICT", "1"}}), HasSubstr("at the end, loaded: the process ended with exit code 1"));
}

}  // namespace
}  // namespace svmsim
