// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/child_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace svmsim {
namespace {

ChildResult shell(const std::string& command, const EnvironmentChanges& changes = {}) {
  return run_child({"/bin/sh", "-c", command}, changes);
}

TEST(RunChild, ExitCodeAndBothOutputsAreCaught) {
  const ChildResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
}

TEST(RunChild, OutputLargerThanAPipeIsCaughtWhole) {
  const ChildResult result = shell("head -c 300000 /dev/zero");
  EXPECT_EQ(result.output, std::string(300'000, '\0'));
}

TEST(RunChild, SignalThatEndedItIsNoExitCode) {
  const ChildResult result = shell("kill -KILL $$");
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunChild, ArgumentsArriveAsTheyAre) {
  EXPECT_EQ(run_child({"/bin/sh", "-c", "printf '%s,' \"$@\"", "sh", "a b", "", "$c"}).output, "a b,,$c,");
}

TEST(RunChild, ProgramThatIsNotThereIs127) { EXPECT_EQ(run_child({"/no/such/program"}).exit_code, 127); }

TEST(RunChild, ChangesSetReplaceAndRemoveVariablesAndLeaveTheOthers) {
  ASSERT_EQ(setenv("CHILD_KEPT", "1", 1), 0);
  ASSERT_EQ(setenv("CHILD_REPLACED", "2", 1), 0);
  ASSERT_EQ(setenv("CHILD_REMOVED", "3", 1), 0);
  const EnvironmentChanges changes = {
      {"CHILD_REPLACED", "two"}, {"CHILD_REMOVED", std::nullopt}, {"CHILD_SET", "a=b"}, {"CHILD_ABSENT", std::nullopt}};
  EXPECT_EQ(
      shell("echo $CHILD_KEPT,$CHILD_REPLACED,${CHILD_REMOVED-none},$CHILD_SET,${CHILD_ABSENT-none}", changes).output,
      "1,two,none,a=b,none\n");
  EXPECT_STREQ(std::getenv("CHILD_REPLACED"), "2") << "only the child's environment changes";
}

TEST(RunChild, VariablesOfTheSimulatorCanBeTakenAway) {
  ASSERT_EQ(setenv("SVMSIM_OF_THIS_TEST", "1", 1), 0);
  ASSERT_EQ(setenv("ASCEND_RT_VISIBLE_DEVICES", "1", 1), 0);
  ASSERT_EQ(setenv("XSVMSIM_OF_THIS_TEST", "1", 1), 0);
  const std::string command =
      "echo ${SVMSIM_OF_THIS_TEST-none},${ASCEND_RT_VISIBLE_DEVICES-none},${XSVMSIM_OF_THIS_TEST-none}";
  EXPECT_EQ(shell(command).output, "1,1,1\n");
  EXPECT_EQ(shell(command, without_simulator_variables()).output, "none,none,1\n");
}

}  // namespace
}  // namespace svmsim
