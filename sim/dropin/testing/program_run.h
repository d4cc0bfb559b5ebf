// SPDX-License-Identifier: Apache-2.0
// Runs a test program against the drop-in libraries of the build tree, as a user would. Thread-compatible.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace svmsim {

struct ProgramResult {
  int exit_code = -1;  // -1: ended by `signal`
  int signal = 0;
  std::string output;  // standard output
  std::string errors;  // standard error
};

using Variables = std::map<std::string, std::string>;

// Runs testing/programs/NAME.c with arguments. The environment is this process' without SVMSIM_* and
// ASCEND_RT_VISIBLE_DEVICES, then LD_LIBRARY_PATH
// and a small v2 platform, then `variables`.
[[nodiscard]] ProgramResult run_program(const std::string& name, const std::vector<std::string>& arguments = {},
                                        const Variables& variables = {});

// Platform files that fit into every kind of build.
[[nodiscard]] std::string small_v2();
[[nodiscard]] std::string small_v3();

// A path in a new folder that goes away with the test process' temporary files; nothing is there yet.
[[nodiscard]] std::string new_path(const std::string& name);
[[nodiscard]] std::string file_content(const std::string& path);

}  // namespace svmsim
