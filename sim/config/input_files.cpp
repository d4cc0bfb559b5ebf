// SPDX-License-Identifier: Apache-2.0
#include "sim/config/input_files.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

namespace svmsim {

namespace {

namespace fs = std::filesystem;

// By their names: the number of a file that is gone may be that of another one later.
struct InputFiles {
  std::mutex mutex;
  std::set<fs::path> paths;
};

InputFiles& input_files() {
  static InputFiles files;
  return files;
}

}  // namespace

void note_input_file(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return;
  const std::lock_guard lock(input_files().mutex);
  input_files().paths.insert(absolute);
}

bool is_input_file(const std::string& path) {
  const std::lock_guard lock(input_files().mutex);
  const std::set<fs::path>& paths = input_files().paths;
  return std::any_of(paths.begin(), paths.end(), [&](const fs::path& input) {
    std::error_code none;  // of a file that is not there
    return fs::equivalent(path, input, none);
  });
}

}  // namespace svmsim
