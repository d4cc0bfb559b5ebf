// SPDX-License-Identifier: Apache-2.0
#include "sim/host_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace svmsim {

namespace {

// A group of its own, so that what it starts can be ended with it, and no blocked signals.
class SpawnSetup {
 public:
  explicit SpawnSetup(int descriptor) {
    posix_spawn_file_actions_init(&actions_);
    // Also where both are the same descriptor, dup2 here clears close-on-exec.
    posix_spawn_file_actions_adddup2(&actions_, descriptor, kHostDescriptor);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // An errno, or 0.
  [[nodiscard]] int spawn(std::vector<std::string> words, const EnvironmentChanges& changes, pid_t& process) const {
    std::vector<std::string> environment = environment_with(changes);
    return posix_spawn(&process, words.front().c_str(), &actions_, &attributes_, pointers_to(words).data(),
                       pointers_to(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::optional<std::string> HostProcess::start(std::vector<std::string> words, const EnvironmentChanges& changes,
                                              int descriptor) {
  const std::string program = words.front();
  const int error = SpawnSetup(descriptor).spawn(std::move(words), changes, process_);
  if (error != 0) {
    process_ = -1;
    return fmt::format("no process: {}: {}", program, std::strerror(error));
  }
  handle_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));  // without one, only the descriptor says anything
  return std::nullopt;
}

// In short waits: a signal that came just before one of them does not end it.
HostEvent HostProcess::wait(int descriptor, std::chrono::steady_clock::time_point until,
                            const std::function<bool()>& interrupted) const {
  using std::chrono::milliseconds;
  constexpr milliseconds kShort{100};
  if (descriptor < 0 && handle_ < 0) return HostEvent::kEnded;
  // poll passes over negative descriptors.
  std::array<pollfd, 2> ready{pollfd{descriptor, POLLIN, 0}, pollfd{handle_, POLLIN, 0}};
  for (;;) {
    if (interrupted && interrupted()) return HostEvent::kInterrupted;
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    const milliseconds span = std::clamp(left, milliseconds(0), kShort);
    if (poll(ready.data(), ready.size(), static_cast<int>(span.count())) > 0) {
      return ready[0].revents != 0 ? HostEvent::kReadable : HostEvent::kEnded;
    }
    if (left <= milliseconds(0)) return HostEvent::kTooLate;
  }
}

std::optional<int> HostProcess::end() {
  if (process_ < 0) return std::nullopt;
  // Before it is waited for, its number is nobody else's. A group that it has left is not ended with it.
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);  // changes nothing about one that died before
  int status = 0;
  pid_t ended = -1;
  do {
    ended = waitpid(process_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (handle_ >= 0) close(handle_);
  handle_ = -1;
  return std::exchange(process_, -1) == ended ? std::optional(status) : std::nullopt;
}

std::optional<int> exit_code_of(int status) {
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::string end_text(int status) {
  if (const auto code = exit_code_of(status)) return fmt::format("ended with exit code {}", *code);
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return fmt::format("died of SIG{}", name == nullptr ? std::to_string(WTERMSIG(status)) : name);
}

bool end_with_starter() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Hung up: the other end of the pipe or socket is closed.
  pollfd starter{kHostDescriptor, 0, 0};
  return poll(&starter, 1, 0) == 0;
}

}  // namespace svmsim
