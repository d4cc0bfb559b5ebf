// SPDX-License-Identifier: Apache-2.0
// Names in scene files. Thread-compatible.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sim/config/toml_reader.h"

namespace svmsim {

// 1 to 64 letters, digits, '_' and '-'.
[[nodiscard]] bool is_scene_name(std::string_view text);
[[nodiscard]] std::string read_scene_name(ConfigTable& table, std::string_view key);
// The key "name"; `seen` collects the names of the tables of one kind.
[[nodiscard]] std::string read_unique_name(ConfigTable& table, std::set<std::string>& seen);

}  // namespace svmsim
