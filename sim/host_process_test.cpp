// SPDX-License-Identifier: Apache-2.0
#include "sim/host_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>

namespace svmsim {
namespace {

using std::chrono::steady_clock;

steady_clock::time_point in_seconds(int seconds) { return steady_clock::now() + std::chrono::seconds(seconds); }
steady_clock::time_point far() { return in_seconds(600); }

// A shell that runs a script, with a pipe as its descriptor 3.
class HostProcessTest : public testing::Test {
 protected:
  void run(const std::string& script, const EnvironmentChanges& changes = {}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const auto error = process_->start({"/bin/sh", "-c", script}, changes, ends[1]);
    ::close(ends[1]);
    pipe_ = ends[0];
    ASSERT_FALSE(error) << *error;
  }
  // All that comes until nobody has the pipe open any more.
  [[nodiscard]] std::string rest() const {
    std::string text;
    std::array<char, 64> buffer{};
    for (ssize_t count = 1; count > 0;) {
      count = ::read(pipe_, buffer.data(), buffer.size());
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  void TearDown() override { ::close(pipe_); }

  std::optional<HostProcess> process_{std::in_place};
  int pipe_ = -1;
};

TEST_F(HostProcessTest, ProgramFindsDescriptorAndEnvironment) {
  ASSERT_EQ(::setenv("SVMSIM_TEST_TAKEN", "here", 1), 0);
  run("printf '%s %s' \"$SVMSIM_TEST_GIVEN\" \"$SVMSIM_TEST_TAKEN\" >&3",
      {{"SVMSIM_TEST_GIVEN", "there"}, {"SVMSIM_TEST_TAKEN", std::nullopt}});
  ASSERT_EQ(::unsetenv("SVMSIM_TEST_TAKEN"), 0);
  EXPECT_EQ(process_->wait(pipe_, far(), {}), HostEvent::kReadable);
  EXPECT_EQ(rest(), "there ");
  EXPECT_EQ(process_->wait(-1, far(), {}), HostEvent::kEnded);
  EXPECT_EQ(process_->end(), 0);
}

TEST_F(HostProcessTest, SignalsThatThisThreadBlocksAreNotBlockedThere) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  run("kill -TERM $$; exit 7");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(process_->wait(-1, far(), {}), HostEvent::kEnded);
  EXPECT_EQ(end_text(process_->end().value()), "died of SIGTERM");
}

TEST_F(HostProcessTest, EndIsNamed) {
  run("exit 7");
  EXPECT_EQ(process_->wait(-1, far(), {}), HostEvent::kEnded);
  EXPECT_EQ(end_text(process_->end().value()), "ended with exit code 7");
  EXPECT_FALSE(process_->end()) << "it has ended once";
}

TEST_F(HostProcessTest, HangIsEnded) {
  run("while :; do sleep 600; done");
  EXPECT_EQ(process_->wait(pipe_, in_seconds(0), {}), HostEvent::kTooLate);
  EXPECT_EQ(end_text(process_->end().value()), "died of SIGKILL");
}

TEST_F(HostProcessTest, InterruptionIsAskedForMeanwhile) {
  run("while :; do sleep 600; done");
  int asked = 0;
  EXPECT_EQ(process_->wait(pipe_, far(), [&] { return ++asked == 3; }), HostEvent::kInterrupted);
  EXPECT_EQ(asked, 3);
}

TEST_F(HostProcessTest, WhatTheProgramStartedEndsWithIt) {
  run("sleep 600 & echo started >&3; exit 0");
  EXPECT_EQ(process_->wait(-1, far(), {}), HostEvent::kEnded);
  EXPECT_EQ(process_->end(), 0);
  EXPECT_EQ(rest(), "started\n") << "and the pipe is closed";
}

TEST_F(HostProcessTest, OneThatIsNotWaitedForEndsWithTheObject) {
  run("while :; do sleep 600; done");
  process_.reset();
  EXPECT_EQ(rest(), "");
}

// A starter that nothing is left of to end anything.
TEST_F(HostProcessTest, WhatTheProgramStartedEndsWithAStarterThatIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  pipe_ = ends[0];
  const pid_t starter = ::fork();
  ASSERT_GE(starter, 0);
  if (starter == 0) {
    // The group has the pipe alone.
    if (process_->start({"/bin/sh", "-c", "sleep 600 & echo started >&3; wait"}, {}, ends[1])) ::_exit(1);
    ::close(ends[1]);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  std::array<char, 8> started{};
  EXPECT_EQ(::read(pipe_, started.data(), started.size()), 8);
  ::kill(starter, SIGKILL);
  EXPECT_EQ(::waitpid(starter, nullptr, 0), starter);
  EXPECT_EQ(rest(), "") << "and the pipe is closed";
}

TEST(HostProcessStart, WithoutADescriptorThereIsNoProcess) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  HostProcess process;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto error = process.start({"/bin/true"}, {}, STDERR_FILENO);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(error, "no process: no pipe: Too many open files");
  EXPECT_FALSE(process.end());
}

TEST(HostProcessStart, WithoutAProgramThereIsNoProcess) {
  HostProcess process;
  EXPECT_EQ(process.start({"/nowhere/host"}, {}, STDERR_FILENO),
            "no process: /nowhere/host: No such file or directory");
  EXPECT_EQ(process.wait(-1, far(), {}), HostEvent::kEnded);
  EXPECT_FALSE(process.end());
}

}  // namespace
}  // namespace svmsim
