// SPDX-License-Identifier: Apache-2.0
#include "sim/host_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

// Reads until the pipe on its standard input has no writer, then ends its group. Nothing but SIGKILL ends it before.
constexpr const char* kWatch = "trap '' HUP INT QUIT TERM; read -r _; kill -KILL 0";

// A child with one descriptor of this process, as its own `there`, in the group (0: a new one), and no signal blocked.
class SpawnSetup {
 public:
  SpawnSetup(int descriptor, int there, pid_t group) {
    posix_spawn_file_actions_init(&actions_);
    // Also where both are the same descriptor, dup2 here clears close-on-exec.
    posix_spawn_file_actions_adddup2(&actions_, descriptor, there);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, group);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // The error says why there is no process.
  [[nodiscard]] std::optional<std::string> spawn(std::vector<std::string> words, const EnvironmentChanges& changes,
                                                 pid_t& process) const {
    std::vector<std::string> environment = environment_with(changes);
    const int error = posix_spawn(&process, words.front().c_str(), &actions_, &attributes_, pointers_to(words).data(),
                                  pointers_to(environment).data());
    if (error == 0) return std::nullopt;
    process = -1;
    return fmt::format("no process: {}: {}", words.front(), std::strerror(error));
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Its wait status; nullopt when somebody else has taken that, or nobody keeps it.
std::optional<int> status_of(pid_t process) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = waitpid(process, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == process ? std::optional(status) : std::nullopt;
}

}  // namespace

std::optional<std::string> HostProcess::start_group() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fmt::format("no process: no pipe: {}", std::strerror(errno));
  lifeline_ = ends[1];
  auto error = SpawnSetup(ends[0], STDIN_FILENO, 0).spawn({"/bin/sh", "-c", kWatch}, {}, group_);
  close(ends[0]);
  return error;
}

std::optional<std::string> HostProcess::start(std::vector<std::string> words, const EnvironmentChanges& changes,
                                              int descriptor) {
  auto error = start_group();
  if (!error) error = SpawnSetup(descriptor, kHostDescriptor, group_).spawn(std::move(words), changes, process_);
  if (error) static_cast<void>(end());
  return error;
}

bool HostProcess::has_ended() const {
  siginfo_t found{};
  // Its number stays its own until end() has asked for its status.
  return process_ < 0 || waitid(P_PID, static_cast<id_t>(process_), &found, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         found.si_pid == process_;
}

// In short waits: nothing that the oldest kernels of boards have wakes one at the end of a process (pidfd_open is of
// Linux 5.3), nor surely for a signal.
HostEvent HostProcess::wait(int descriptor, std::chrono::steady_clock::time_point until,
                            const std::function<bool()>& interrupted) const {
  using std::chrono::milliseconds;
  constexpr milliseconds kShort{10};
  pollfd ready{descriptor, POLLIN, 0};  // poll passes over a negative one
  for (;;) {
    if (interrupted && interrupted()) return HostEvent::kInterrupted;
    const bool ended = has_ended();  // before the descriptor is looked at, so that nothing it wrote is missed
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    const milliseconds span = ended ? milliseconds(0) : std::clamp(left, milliseconds(0), kShort);
    if (poll(&ready, 1, static_cast<int>(span.count())) > 0) return HostEvent::kReadable;
    if (ended) return HostEvent::kEnded;
    if (left <= milliseconds(0)) return HostEvent::kTooLate;
  }
}

std::optional<int> HostProcess::end() {
  // Before they are waited for, their numbers are nobody else's.
  if (group_ > 0) kill(-group_, SIGKILL);
  if (process_ > 0) kill(process_, SIGKILL);  // it may have left its group
  std::optional<int> status;
  if (process_ > 0) status = status_of(std::exchange(process_, -1));
  if (group_ > 0) static_cast<void>(status_of(std::exchange(group_, -1)));
  if (lifeline_ >= 0) close(std::exchange(lifeline_, -1));
  return status;
}

std::optional<int> exit_code_of(int status) {
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::string end_text(int status) {
  if (const auto code = exit_code_of(status)) return fmt::format("ended with exit code {}", *code);
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return fmt::format("died of SIG{}", name == nullptr ? std::to_string(WTERMSIG(status)) : name);
}

std::optional<int> begin_host() {
  constexpr rlim_t kUsual = 1024;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Hung up: the other end of the pipe or socket is closed.
  pollfd starter{kHostDescriptor, 0, 0};
  if (poll(&starter, 1, 0) != 0) {
    errno = EPIPE;
    return std::nullopt;
  }
  rlimit limit{kUsual, kUsual};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int moved = fcntl(kHostDescriptor, F_DUPFD_CLOEXEC, static_cast<int>(std::min(limit.rlim_cur, kUsual) / 2));
  if (moved < 0) return std::nullopt;
  close(kHostDescriptor);
  return moved;
}

}  // namespace svmsim
