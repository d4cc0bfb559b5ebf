// SPDX-License-Identifier: Apache-2.0
// Writes values for TOML files. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace svmsim {

// `text`, which is UTF-8, as a basic string on one line, quotes included.
[[nodiscard]] std::string toml_quoted(std::string_view text);

}  // namespace svmsim
