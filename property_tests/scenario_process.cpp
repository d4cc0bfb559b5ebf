// SPDX-License-Identifier: Apache-2.0
#include "property_tests/scenario_process.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace svmsim {

pid_t fork_process() {
  std::fflush(nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // ignored, as some parents leave it, there would be nothing to wait for
  return ::fork();
}

void end_after(unsigned seconds) {
  std::signal(SIGALRM, SIG_DFL);
  ::alarm(seconds);
}

std::optional<int> wait_for(pid_t child) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

bool ended_well(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

Failure failure_of_death(int status, unsigned seconds, std::size_t operation) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return {"hang", operation, fmt::format("the scenario did not end within {} s", seconds)};
  }
  if (WIFSIGNALED(status)) {
    return {"crash", operation, fmt::format("the process was killed by signal {}", WTERMSIG(status))};
  }
  return {"crash", operation, fmt::format("the process ended with code {}", WEXITSTATUS(status))};
}

}  // namespace svmsim
