// SPDX-License-Identifier: Apache-2.0
// Where a fuzz target finds platforms and other fixtures. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace svmsim {

// `fixtures` beside the program, which is how one runs where there is no source tree (oss-fuzz/build.sh); else that of
// the source tree.
[[nodiscard]] inline const std::string& fixtures_folder() {
  static const std::string folder = [] {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto beside = program.parent_path() / "fixtures";
    return !error && std::filesystem::is_directory(beside, error) ? beside.string() : std::string(SVMSIM_FIXTURES_DIR);
  }();
  return folder;
}

}  // namespace svmsim
