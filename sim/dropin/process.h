// SPDX-License-Identifier: Apache-2.0
// The one global of a process that uses the drop-in libraries: they all act on the machine that it holds, which
// lives until the process ends, whatever is closed and opened again. Thread-safe: one lock around each call, held
// across fork() so that a child finds consistent books.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "sim/dropin/simulation.h"

namespace svmsim {

// No thread is cancelled in the middle of a call.
class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = 0;
};

class Process {
 public:
  [[nodiscard]] static Process& instance();

  // `own(simulation)` in the process that made the simulation, which the first call does from the environment; a
  // mistake there ends the process (exit code 2). `in_child(simulation)` in a child forked since, which inherits the
  // books but owns neither memory nor mappings: it may look, not change.
  template <typename Own, typename InChild>
  auto call(Own own, InChild in_child) {
    if (is_child()) return in_child(static_cast<const Simulation&>(*simulation_));
    const NotCancelled whole_call;
    const std::lock_guard lock(mutex_);
    return own(ready());
  }

  // For pthread_atfork: no call is under way in the moment of the fork, and nothing is left in a buffer that both
  // processes would write.
  void before_fork();
  void after_fork() { mutex_.unlock(); }

  // For programs that live many lives in one process: ends the simulation, unreported, and makes the next one. No other
  // thread may be in a call, and no view may be used any more. The error is one line for people; there is no simulation
  // then. What the ACL layer keeps per thread (its device, its last error) is the thread's and stays.
  [[nodiscard]] std::optional<std::string> begin_anew(Environment environment);

  // Once, when the program has ended with `status`: writes what the environment asked for. May end the process
  // itself, with another exit code.
  void finish(int status);

 private:
  constexpr Process() = default;
  [[nodiscard]] bool is_child() const;
  [[nodiscard]] Simulation& ready();                                       // under the lock
  [[nodiscard]] std::optional<std::string> make(Environment environment);  // under the lock, when there is none

  std::mutex mutex_;
  std::atomic<pid_t> owner_{0};       // 0 until there is a simulation
  Simulation* simulation_ = nullptr;  // not destroyed when the process ends: calls may come until the very end
};

}  // namespace svmsim
