// SPDX-License-Identifier: Apache-2.0
#include "cli/board_libraries.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/interruption.h"
#include "sim/config/printable.h"

namespace svmsim {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibAllowed = "a folder with libascend_hal.so, and a device that it finds";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

CliResult<BoardLibraries> find_board_libraries(const std::optional<std::string>& lib, const Platform& platform) {
  BoardLibraries libraries;
  libraries.lib = lib;
  if (variable("SVMSIM_PLATFORM").empty()) {
    libraries.environment["SVMSIM_PLATFORM"] = fs::absolute(platform.file).string();
  }
  if (!lib) return libraries;
  const auto missing = [&](const std::string& what) {
    return tl::unexpected(
        no_board("--lib", *lib, kLibAllowed,
                 fmt::format("--lib: '{}' {}; a board's driver library is needed", printable(*lib), what)));
  };
  std::error_code none;
  if (!fs::is_directory(*lib, none)) return missing("is no folder");
  const fs::path folder = fs::absolute(*lib);
  const std::string hal_name = libraries.hal;
  libraries.hal = (folder / hal_name).string();
  for (std::string* const other : {&libraries.acl, &libraries.dsmi}) {
    if (fs::exists(folder / *other, none)) *other = (folder / *other).string();
  }
  if (!fs::is_regular_file(libraries.hal, none)) return missing(fmt::format("has no {}", hal_name));
  const std::string before = variable("LD_LIBRARY_PATH");
  libraries.environment["LD_LIBRARY_PATH"] = folder.string() + (before.empty() ? "" : ":" + before);
  return libraries;
}

CliError absent_board(const BoardLibraries& libraries, const std::string& reason) {
  std::string tried = fmt::format("tried {}", printable(libraries.hal));
  if (!libraries.lib) {
    const std::string path = variable("LD_LIBRARY_PATH");
    tried += fmt::format(" in LD_LIBRARY_PATH ({}) and where the system's loader looks",
                         path.empty() ? "not set" : printable(path));
  }
  return no_board("--lib", libraries.lib.value_or(""), kLibAllowed,
                  fmt::format("no board: {}; {}", printable(reason), tried));
}

CliError wrong_environment(const BoardLibraries& libraries) {
  CliError error;
  error.message = fmt::format(
      "{} ended the process that loaded it with exit code {}, as a simulated library does when it cannot begin, mostly "
      "at a variable of the environment that it cannot use; what it said stands on stderr",
      printable(libraries.hal), kWrongEnvironment);
  return error;
}

CliResult<std::unique_ptr<LibraryPort>> open_library_port(const BoardLibraries& libraries, std::chrono::seconds guard,
                                                          const HalSurroundings& surroundings) {
  LibrarySetup setup{SVMSIM_CONFORMANCE_HOST, libraries.hal, libraries.environment, guard, &Interruption::happened};
  for (const char* file : {"SVMSIM_TRACE", "SVMSIM_REPORT"}) setup.environment[file] = std::nullopt;
  auto port = std::make_unique<LibraryPort>(setup, surroundings);
  port->begin_case();
  if (port->absent()) return tl::unexpected(absent_board(libraries, port->failure()));
  if (port->exit_code() == kWrongEnvironment) return tl::unexpected(wrong_environment(libraries));
  if (!port->failure().empty()) {
    return tl::unexpected(failure(fmt::format("{} does not start: {}", libraries.hal, port->failure())));
  }
  return port;
}

}  // namespace svmsim
