// SPDX-License-Identifier: Apache-2.0
// Runs a test program against the drop-in libraries of the build tree, as a user would. Thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "sim/testing/child_process.h"

namespace svmsim {

// Runs testing/programs/NAME.c with arguments. The environment is this process' without SVMSIM_* and
// ASCEND_RT_VISIBLE_DEVICES, then LD_LIBRARY_PATH and a small v2 platform, then `variables`.
[[nodiscard]] ChildResult run_program(const std::string& name, const std::vector<std::string>& arguments = {},
                                      const EnvironmentChanges& variables = {});

// Platform files that fit into every kind of build.
[[nodiscard]] std::string small_v2();
[[nodiscard]] std::string small_v3();

// A path in a new folder, where nothing is yet; the folder goes away when the test process ends.
[[nodiscard]] std::string new_path(const std::string& name);
[[nodiscard]] std::string file_content(const std::string& path);

}  // namespace svmsim
