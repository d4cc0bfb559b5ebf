// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/board_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "cli/interruption.h"

namespace svmsim {
namespace {

constexpr unsigned kLong = 60;

TEST(BoardProcess, TextOfAnyLengthComesBack) {
  const std::string text = std::string(300'000, 'x') + std::string(1, '\0') + "end";
  const ProcessOutcome outcome = run_in_process([&] { return text; }, {}, kLong);
  EXPECT_EQ(outcome.text, text);
  EXPECT_EQ(outcome.failure, "");
}

TEST(BoardProcess, EnvironmentIsChangedThereAlone) {
  ASSERT_EQ(::setenv("SVMSIM_TEST_TAKEN", "here", 1), 0);
  const ProcessOutcome outcome = run_in_process(
      [] {
        const char* const given = std::getenv("SVMSIM_TEST_GIVEN");
        return std::string(given == nullptr ? "null" : given) +
               (std::getenv("SVMSIM_TEST_TAKEN") == nullptr ? "" : "!");
      },
      {{"SVMSIM_TEST_GIVEN", "there"}, {"SVMSIM_TEST_TAKEN", std::nullopt}}, kLong);
  EXPECT_EQ(outcome.text, "there");
  EXPECT_EQ(std::getenv("SVMSIM_TEST_GIVEN"), nullptr);
  ASSERT_EQ(::unsetenv("SVMSIM_TEST_TAKEN"), 0);
}

TEST(BoardProcess, DeathIsNamed) {
  const auto dies = [](auto how) {
    return run_in_process(
        [&]() -> std::string {
          how();
          return "survived";
        },
        {}, kLong);
  };
  ProcessOutcome outcome = dies([] { ::raise(SIGKILL); });
  EXPECT_EQ(outcome.failure, "was killed by signal 9 (Killed)");
  EXPECT_EQ(outcome.text, "");
  outcome = dies([] { std::_Exit(3); });
  EXPECT_EQ(outcome.failure, "ended with exit code 3");
}

// A driver that is not content with how a process ends says so when the work is done.
TEST(BoardProcess, ExitHandlersRunAndTheirCodeCounts) {
  const ProcessOutcome outcome = run_in_process(
      [] {
        std::atexit([] { std::_Exit(1); });
        return std::string("done");
      },
      {}, kLong);
  EXPECT_EQ(outcome.text, "done");
  EXPECT_EQ(outcome.failure, "ended with exit code 1");
}

TEST(BoardProcess, HangIsEnded) {
  const ProcessOutcome outcome = run_in_process(
      []() -> std::string {
        for (;;) ::pause();
      },
      {}, 1);
  EXPECT_EQ(outcome.failure, "did not end within 1 s");
}

TEST(BoardProcess, InterruptionEndsIt) {
  const Interruption interruption;
  const pid_t parent = ::getpid();
  const ProcessOutcome outcome = run_in_process(
      [&]() -> std::string {
        ::kill(parent, SIGTERM);
        for (;;) ::pause();
      },
      {}, kLong);
  EXPECT_EQ(outcome.failure, "was interrupted");
}

}  // namespace
}  // namespace svmsim
