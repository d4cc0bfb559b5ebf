// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/board_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/interruption.h"
#include "property_tests/scenario_process.h"

namespace svmsim {

namespace {

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) std::_Exit(EXIT_FAILURE);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void be_the_child(const std::function<std::string()>& work, const EnvironmentChanges& environment,
                               unsigned guard_seconds, pid_t parent, int descriptor) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(EXIT_FAILURE);
  change_environment(environment);
  end_after(guard_seconds);
  write_all(descriptor, work());
  ::close(descriptor);
  std::exit(EXIT_SUCCESS);
}

// All that comes until the other end is closed, or this process is interrupted.
std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  while (!Interruption::happened()) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

std::string end_text(int status, unsigned guard_seconds) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGALRM) return fmt::format("did not end within {} s", guard_seconds);
    return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

ProcessOutcome run_in_process(const std::function<std::string()>& work, const EnvironmentChanges& environment,
                              unsigned guard_seconds) {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {"", fmt::format("has no pipe: {}", std::strerror(errno))};
  const pid_t parent = ::getpid();
  const pid_t child = fork_process();
  if (child == 0) be_the_child(work, environment, guard_seconds, parent, ends[1]);
  const int error = errno;
  ::close(ends[1]);
  ProcessOutcome outcome;
  if (child < 0) {
    outcome.failure = fmt::format("could not be started: {}", std::strerror(error));
  } else {
    outcome.text = read_all(ends[0]);
    const bool interrupted = Interruption::happened();
    if (interrupted) ::kill(child, SIGKILL);
    const auto status = wait_for(child);
    if (interrupted) {
      outcome = {"", "was interrupted"};
    } else if (!status) {
      outcome.failure = fmt::format("ended unseen: {}", std::strerror(errno));
    } else if (!ended_well(*status)) {
      outcome.failure = end_text(*status, guard_seconds);
    }
  }
  ::close(ends[0]);
  return outcome;
}

}  // namespace svmsim
