// SPDX-License-Identifier: Apache-2.0
#include "cli/scene/scene_name.h"

#include <algorithm>

namespace svmsim {
namespace {

constexpr std::size_t kMaxNameLength = 64;
constexpr std::string_view kNameAllowed = "1 to 64 letters, digits, '_' and '-'";

}  // namespace

bool is_scene_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string read_scene_name(ConfigTable& table, std::string_view key) {
  std::string name = table.text(key);
  if (!is_scene_name(name)) table.reject(key, std::string(kNameAllowed));
  return name;
}

std::string read_unique_name(ConfigTable& table, std::set<std::string>& seen) {
  std::string name = read_scene_name(table, "name");
  if (!seen.insert(name).second) table.reject("name", "a name that appears once");
  return name;
}

}  // namespace svmsim
