// SPDX-License-Identifier: Apache-2.0
// Runs the built `svmsim` as a user does and catches what it prints. For tests only.
#pragma once

#include <string>
#include <vector>

#include "sim/testing/child_process.h"

namespace svmsim {

// `arguments` as the shell would hand them over, without the program's name.
[[nodiscard]] inline ChildResult svmsim_command(std::vector<std::string> arguments,
                                                const EnvironmentChanges& changes = {}) {
  arguments.insert(arguments.begin(), SVMSIM_PROGRAM);
  return run_child(std::move(arguments), changes);
}

}  // namespace svmsim
