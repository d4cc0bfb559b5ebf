// SPDX-License-Identifier: Apache-2.0
#include "runtime/owner_process.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace svmrt {
namespace {

// What `judge` answers in a process that `begin` (as fork does) starts, 2 when that did not work.
template <typename Begin, typename Judge>
int answer_in_child(Begin begin, Judge judge) {
  const auto child = static_cast<pid_t>(begin());
  if (child == 0) _exit(judge() ? 1 : 0);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 2;
  return WEXITSTATUS(status);
}

pid_t plain_fork() { return fork(); }
// No handler of pthread_atfork runs.
long bare_clone() { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr); }

TEST(OwnerProcess, NumberIsThatOfTheKernel) {
  EXPECT_EQ(this_process(), getpid());
  EXPECT_EQ(answer_in_child(plain_fork, [] { return this_process() == getpid(); }), 1);
}

TEST(OwnerProcess, ChildIsNotTheOwner) {
  const OwnerProcess owner;
  EXPECT_TRUE(owner.is_this());
  EXPECT_EQ(answer_in_child(plain_fork, [&] { return owner.is_this(); }), 0);
  EXPECT_EQ(answer_in_child(bare_clone, [&] { return owner.is_this(); }), 0);
  EXPECT_TRUE(owner.is_this()) << "a child takes nothing from its parent";
}

TEST(OwnerProcess, ChildOwnsWhatItMakesAndItsOwnChildDoesNot) {
  EXPECT_EQ(answer_in_child(plain_fork, [] { return OwnerProcess().is_this(); }), 1);
  const auto grandchild = [] {
    const OwnerProcess made_by_child;
    return answer_in_child(plain_fork, [&] { return made_by_child.is_this(); }) == 0;
  };
  EXPECT_EQ(answer_in_child(plain_fork, grandchild), 1);
}

}  // namespace
}  // namespace svmrt
