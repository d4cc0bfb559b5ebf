// SPDX-License-Identifier: Apache-2.0
// A program in a process of its own that a library is loaded into, and all processes that it starts: a library that
// crashes, hangs or ends the process ends that one alone, and nothing of it outlives the object, nor this process,
// whatever ends that, but for a process that left its group on purpose or runs as a user that this one may not signal.
// Thread-bound: the program, which calls begin_host(), ends with the thread that started it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/child_environment.h"

namespace svmsim {

// The descriptor on which the program finds what start() gave it, until it calls begin_host().
inline constexpr int kHostDescriptor = 3;

enum class HostEvent {
  kReadable,  // the descriptor has something to read, or its other end is closed
  kEnded,     // it has not, and the program has ended
  kTooLate,
  kInterrupted,
};

class HostProcess {
 public:
  HostProcess() = default;
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;
  ~HostProcess() { static_cast<void>(end()); }

  // `words`: the path of the program, then its arguments. It gets `descriptor` as kHostDescriptor, no signal blocked,
  // and this process' environment but for `changes`. The error says why there is no process. Once, or after end().
  [[nodiscard]] std::optional<std::string> start(std::vector<std::string> words, const EnvironmentChanges& changes,
                                                 int descriptor);
  // What happens first. `descriptor` may be -1: nothing is read. `interrupted`, which may be empty, is asked meanwhile.
  [[nodiscard]] HostEvent wait(int descriptor, std::chrono::steady_clock::time_point until,
                               const std::function<bool()>& interrupted) const;
  // Ends what is left of it and its group. Its wait status; nullopt when there is none to be had.
  [[nodiscard]] std::optional<int> end();

 private:
  // The group, with a first process that ends all of it once nobody has the other end of lifeline_ open any more.
  [[nodiscard]] std::optional<std::string> start_group();
  [[nodiscard]] bool has_ended() const;

  pid_t group_ = -1;
  int lifeline_ = -1;
  pid_t process_ = -1;
};

// How a process ended, by its wait status: "ended with exit code 7", "died of SIGSEGV".
[[nodiscard]] std::string end_text(int status);

// Of a process that ended by itself, by its wait status; nothing of one that died of a signal.
[[nodiscard]] std::optional<int> exit_code_of(int status);

// For the program, first thing: it ends when its starter does, whatever the library is at, unless that changes the
// user; and what start() gave it is on the descriptor that this returns, which a library that takes or closes the
// lowest ones leaves alone, and which no program that it starts gets. nullopt, with errno: the starter has ended
// already (EPIPE), or there is no descriptor left.
[[nodiscard]] std::optional<int> begin_host();

}  // namespace svmsim
