// SPDX-License-Identifier: Apache-2.0
#include "sim/config/fixture_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace svmsim {

namespace fs = std::filesystem;

tl::expected<std::vector<std::string>, std::string> fixture_names_in(const std::string& fixtures,
                                                                     const std::string& kind) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(fixtures) / kind, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  if (error) return tl::unexpected(error.message());
  std::sort(names.begin(), names.end());
  return names;
}

bool names_a_path(const std::string& argument) {
  return argument.find('/') != std::string::npos || argument.ends_with(".toml");
}

std::string fixture_file(const std::string& fixtures, const std::string& kind, const std::string& name) {
  return (fs::path(fixtures) / kind / (name + ".toml")).string();
}

std::string allowed_fixtures(const std::vector<std::string>& names) {
  return fmt::format("{}, or the path of a .toml file", fmt::join(names, ", "));
}

}  // namespace svmsim
