// SPDX-License-Identifier: Apache-2.0
// Bounds how deep a TOML text nests before a recursive parser sees it. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svmsim {

// Brackets and braces open at once, and parts of one dotted key or table header. Together they bound the depth of
// the parsed tree by a few hundred, far below what a recursive destructor can take on a small thread stack.
inline constexpr std::size_t kMaxTomlBrackets = 32;
inline constexpr std::size_t kMaxTomlKeyParts = 16;

// The line (from 1) where `text` first exceeds one of the two limits, or nothing. Strings and comments are skipped.
// The text need not be valid TOML: the answer is exact up to the first character that a TOML parser would refuse.
[[nodiscard]] std::optional<std::uint32_t> line_of_excessive_nesting(std::string_view text);

}  // namespace svmsim
