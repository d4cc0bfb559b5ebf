// SPDX-License-Identifier: Apache-2.0
// Makes any text safe to print on one line of a terminal. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svmsim {

// Control characters (C0 with line ends, DEL, C1) and bytes that are not UTF-8 become \xNN; everything else stays. What
// goes beyond about `limit` bytes is "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = std::string_view::npos);

[[nodiscard]] bool is_utf8(std::string_view text);

// "a, b, c and 3 more" of any number of texts, each printable and shortened; "none" of none.
template <typename Texts>
[[nodiscard]] std::string printable_list(const Texts& texts) {
  constexpr std::size_t kMost = 24;
  constexpr std::size_t kLongest = 80;
  std::string list;
  std::size_t listed = 0;
  for (const auto& text : texts) {
    if (listed == kMost) return list + " and " + std::to_string(texts.size() - kMost) + " more";
    list += (listed++ == 0 ? "" : ", ") + printable(text, kLongest);
  }
  return list.empty() ? "none" : list;
}

}  // namespace svmsim
