// SPDX-License-Identifier: Apache-2.0
// How a fixture (a platform, a scene) is named: by its name in the fixture folder, or by a path (an argument with a
// slash or the ending .toml). Pure functions of the file system, thread-safe.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace svmsim {

// Names of the *.toml files of a fixture kind ("scenes", "platforms"), sorted. The error says why FIXTURES/KIND
// cannot be read.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> fixture_names_in(const std::string& fixtures,
                                                                                   const std::string& kind);

[[nodiscard]] bool names_a_path(const std::string& argument);

// FIXTURES/KIND/NAME.toml, whether or not it is there.
[[nodiscard]] std::string fixture_file(const std::string& fixtures, const std::string& kind, const std::string& name);

// What a message lists as allowed in place of an unknown name.
[[nodiscard]] std::string allowed_fixtures(const std::vector<std::string>& names);

}  // namespace svmsim
