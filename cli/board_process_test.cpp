// SPDX-License-Identifier: Apache-2.0
#include "cli/board_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "cli/interruption.h"
#include "cli/testing/scratch_folder.h"
#include "sim/host_process.h"

namespace svmsim {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr seconds kLong{120};

TEST(BoardRequest, IsTheSameBehindItsWords) {
  BoardRequest request;
  request.work = BoardWork::kPoints;
  request.locations = {"fixtures \xff\n", ""};
  request.lib = "a folder";
  request.platform = "a2a3";
  request.scene = "--json";
  request.policy = "cached";
  request.rounds = "3";
  request.seed = "18446744073709551615";
  request.iterations = "300";
  const auto same = board_request(words_of(request));
  ASSERT_TRUE(same);
  EXPECT_EQ(words_of(*same), words_of(request));
  EXPECT_EQ(same->work, BoardWork::kPoints);
  EXPECT_EQ(same->locations.fixtures, request.locations.fixtures);
  EXPECT_EQ(same->lib, request.lib);
  EXPECT_EQ(same->iterations, "300");
  request.lib.reset();
  EXPECT_FALSE(board_request(words_of(request))->lib) << "the loader's place, not a folder without a name";
}

TEST(BoardRequest, OtherWordsAreNone) {
  std::vector<std::string> words = words_of({});
  words[0] = "supper";
  EXPECT_FALSE(board_request(words));
  words = words_of({});
  words.pop_back();
  EXPECT_FALSE(board_request(words));
  EXPECT_FALSE(board_request({}));
}

class BoardProcess : public testing::Test {
 protected:
  // The library does this as soon as it is loaded.
  [[nodiscard]] BoardAnswer ask(const char* deed, seconds timeout = kLong) const {
    BoardLibraries libraries;
    libraries.hal = SVMSIM_MISBEHAVING_LIBRARY;
    libraries.environment = {{"FAKE_DEED", deed}, {"FAKE_LOCK", lock_}};
    return ask_board_host(request(), libraries, timeout);
  }
  [[nodiscard]] BoardRequest request() const {
    BoardRequest request;
    request.work = BoardWork::kPoints;
    request.locations = default_locations();
    request.lib = folder_.path();
    request.platform = "a2a3";
    request.iterations = "1";
    return request;
  }
  void SetUp() override { std::filesystem::create_symlink(SVMSIM_MISBEHAVING_LIBRARY, folder_ / "libascend_hal.so"); }
  // Comes back once no process of the library is left.
  void wait_for_all() const {
    const int file = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    EXPECT_EQ(::flock(file, LOCK_EX), 0);
    ::close(file);
  }

  const ScratchFolder folder_;
  const std::string lock_ = folder_ / "lock";
};

TEST_F(BoardProcess, EndWithoutAnAnswerIsNamed) {
  const auto failure = [&](const char* deed) {
    const BoardAnswer answer = ask(deed);
    EXPECT_FALSE(answer.said) << deed;
    return answer.failure;
  };
  EXPECT_EQ(failure("exit 0"), "ended with exit code 0 before its work was done");
  EXPECT_EQ(failure("babble"), "ended with exit code 0 after 5 bytes that are no answer");
  EXPECT_EQ(failure("exit 7"), "ended with exit code 7");
  EXPECT_EQ(failure("crash"), "died of SIGSEGV");
}

// As a simulated library ends a process whose variables it cannot use.
TEST_F(BoardProcess, EndWithTheCodeOfBadInputIsBadInput) {
  const BoardAnswer answer = ask("exit 2");
  ASSERT_TRUE(answer.said);
  ASSERT_FALSE(*answer.said);
  EXPECT_EQ(answer.said->error().exit_code, ExitCode::kBadInput);
  EXPECT_THAT(answer.said->error().message, HasSubstr("a variable of the environment that it cannot use"));
}

TEST_F(BoardProcess, HangIsEnded) {
  const BoardAnswer answer = ask("hang", seconds(1));
  EXPECT_FALSE(answer.said);
  EXPECT_EQ(answer.failure, "did not end within 1 s");
  wait_for_all();
}

TEST_F(BoardProcess, InterruptionEndsIt) {
  const Interruption interruption;
  const BoardAnswer answer = ask("interrupt");
  EXPECT_FALSE(answer.said);
  EXPECT_EQ(answer.failure, "was interrupted");
  wait_for_all();
}

TEST_F(BoardProcess, WhatItStartedEndsWithIt) {
  EXPECT_EQ(ask("child").failure, "ended with exit code 7");
  wait_for_all();
}

// It has the pipe of the answer open.
TEST_F(BoardProcess, DaemonIsNotWaitedFor) { EXPECT_EQ(ask("daemon", seconds(15)).failure, "ended with exit code 7"); }

TEST_F(BoardProcess, LibraryThatClosesTheLowestDescriptorsHidesNoAnswer) {
  const BoardAnswer answer = ask("close");
  EXPECT_EQ(answer.failure, "");
  EXPECT_TRUE(answer.said) << "also that it is no driver is an answer";
}

// And what the library started.
TEST_F(BoardProcess, EndsWithTheCommandWhateverEndsThat) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  HostProcess command;
  const auto error = command.start({SVMSIM_PROGRAM, "calibrate", "--lib", folder_.path()},
                                   {{"FAKE_DEED", "family"}, {"FAKE_LOCK", lock_}}, null);
  ASSERT_FALSE(error) << *error;
  std::error_code none;  // while it is not there
  while (!std::filesystem::exists(lock_) || std::filesystem::file_size(lock_, none) == 0) ::sched_yield();
  EXPECT_EQ(command.end(), SIGKILL) << "the wait status of one that was killed";
  wait_for_all();
  ::close(null);
}

// The loader reads it when the process begins.
TEST_F(BoardProcess, LibraryIsFoundWhereTheEnvironmentSays) {
  BoardLibraries libraries;
  libraries.hal = "libascend_hal.so";
  libraries.environment = {{"LD_LIBRARY_PATH", folder_.path()}, {"FAKE_DEED", "exit 7"}};
  BoardRequest asked = request();
  asked.lib.reset();
  EXPECT_EQ(ask_board_host(asked, libraries, kLong).failure, "ended with exit code 7");
}

}  // namespace
}  // namespace svmsim
