// SPDX-License-Identifier: Apache-2.0
// Runs a program as a child process and catches what it prints. For tests only; thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "sim/child_environment.h"

namespace svmsim {

struct ChildResult {
  int exit_code = -1;  // -1: ended by `signal`; 127: the program could not be started
  int signal = 0;
  std::string output;  // standard output
  std::string errors;  // standard error
};

// `words`: the path of the program, then its arguments. The child has this process' environment but for `changes`.
// Waits for its end, however long. Fails the running test when there is no child to be had.
[[nodiscard]] ChildResult run_child(std::vector<std::string> words, const EnvironmentChanges& changes = {});

}  // namespace svmsim
