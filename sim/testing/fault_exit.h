// SPDX-License-Identifier: Apache-2.0
// For death tests: whether a child process ended because it touched memory that it must not.
#pragma once

#include <sys/wait.h>

#include <csignal>

#include "sim/memory/poison.h"

namespace svmsim {

// AddressSanitizer reports the fault itself and ends the process with a code of its own.
[[nodiscard]] inline bool died_of_a_fault(int status) {
  if (poison_is_active()) return WIFEXITED(status) && WEXITSTATUS(status) != 0;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

}  // namespace svmsim
