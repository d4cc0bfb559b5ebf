// SPDX-License-Identifier: Apache-2.0
// What a process may do with the libraries: fork, use threads, pass anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "sim/dropin/testing/program_run.h"

namespace svmsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// R11; the rest is assumed (docs/deviations.md).
TEST(ForkedChild, OwnsNothingOnV2) {
  const ChildResult result = run_program("forks");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output,
            "child register held 8\n"
            "child register last page held 8\n"
            "child register around held 8\n"
            "child register other 8\n"
            "child register nowhere 3\n"
            "child alloc 8\n"
            "child free 3\n"
            "child unregister 8\n"
            "child unregister ex 8\n"
            "child feature 1\n"
            "child ctl 0\n"
            "child acl 507899\n"
            "child out 1\n"
            "child ended 0\n"
            "failed children 0\n"
            "parent unregister 0\n"
            "parent free 0\n"
            "parent free 0\n");
}

TEST(ForkedChild, OnV3RegisterTellsWhetherTheParentHoldsTheRange) {
  const ChildResult result = run_program("forks", {}, {{"SVMSIM_PLATFORM", small_v3()}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("child register held 12\n"
                                        "child register last page held 12\n"
                                        "child register around held 12\n"
                                        "child register other 11\n"
                                        "child register nowhere 3\n"
                                        "child alloc 11\n"
                                        "child free 3\n"
                                        "child unregister 8\n"
                                        "child unregister ex 8\n"));
  EXPECT_THAT(result.output, HasSubstr("failed children 0\nparent unregister 0\nparent free 0\nparent free 0\n"));
}

TEST(Threads, CallsOfManyThreadsAllSucceed) {
  const ChildResult result = run_program("threads");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST(Backing, MmuLetsTheProgramTouchExactlyWhatIsMapped) {
  const ChildResult mapped = run_program("ends", {"touch_mapped"});
  EXPECT_EQ(mapped.exit_code, 0) << mapped.errors;
  EXPECT_EQ(run_program("ends", {"touch_unmapped"}).signal, SIGSEGV);
}

class RandomArguments : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(RandomArguments, NeverEndTheProcess) {
  const auto [seed, v3] = GetParam();
  const ChildResult result =
      run_program("random_arguments", {std::to_string(seed)}, {{"SVMSIM_PLATFORM", v3 ? small_v3() : small_v2()}});
  EXPECT_EQ(result.exit_code, 0) << "signal " << result.signal << "\n" << result.errors;
  EXPECT_EQ(result.output, "survived\n");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomArguments, testing::Combine(testing::Range(1, 6), testing::Bool()));

}  // namespace
}  // namespace svmsim
