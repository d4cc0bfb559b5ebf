// SPDX-License-Identifier: Apache-2.0
// Where the libraries of a board's driver are: in the folder that --lib names, or where the loader looks. Looks at the
// process' environment and the file system; thread-compatible.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/cli_error.h"
#include "sim/child_environment.h"
#include "sim/conformance/library_port.h"
#include "sim/platform.h"

namespace svmsim {

struct BoardLibraries {
  std::optional<std::string> lib;  // the value of --lib
  // As dlopen takes them: a path in the folder, or a name. The latter two are looked for by the loader where the folder
  // lacks them: a toolkit installs its libraries apart from the driver's.
  std::string hal = "libascend_hal.so";
  std::string acl = "libascendcl.so";
  std::string dsmi = "libdrvdsmi_host.so";
  // What the environment of a process that loads them gets: for the libraries that they need in turn, and for a
  // simulated board, which is one of the platform unless the environment asks for another.
  EnvironmentChanges environment;
};

// The error, with exit code 3, says what --lib lacks. Whether the loader finds anything is not looked at.
[[nodiscard]] CliResult<BoardLibraries> find_board_libraries(const std::optional<std::string>& lib,
                                                             const Platform& platform);

// There is no board to ask: `reason`, in the loader's or the driver's words, and where the libraries were looked for.
[[nodiscard]] CliError absent_board(const BoardLibraries& libraries, const std::string& reason);

// The exit code of a process that a simulated library ended, as it does at a variable of the environment that it cannot
// use; and that as an error, with exit code 2.
inline constexpr int kWrongEnvironment = 2;
[[nodiscard]] CliError wrong_environment(const BoardLibraries& libraries);

// A port that has begun a case, which showed that there is a library to ask: absent_board(), wrong_environment(),
// or exit code 1 for one that does not start. Ends with an interruption. A simulated board writes no trace and no
// report: it does so when its process ends in order, which that of a case never does.
[[nodiscard]] CliResult<std::unique_ptr<LibraryPort>> open_library_port(const BoardLibraries& libraries,
                                                                        std::chrono::seconds guard,
                                                                        const HalSurroundings& surroundings);

}  // namespace svmsim
