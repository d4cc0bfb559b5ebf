// SPDX-License-Identifier: Apache-2.0
// Runs the built `svmsim` as a user does and catches what it prints. For tests only.
#pragma once

#include <string>
#include <vector>

namespace svmsim {

struct CommandResult {
  int exit_code = -1;  // -1: it did not exit by itself
  std::string standard_output;
  std::string standard_error;
};

// `arguments` as the shell would hand them over, without the program's name.
[[nodiscard]] CommandResult svmsim_command(const std::vector<std::string>& arguments);

}  // namespace svmsim
