// SPDX-License-Identifier: Apache-2.0
#include "sim/config/nesting_limit.h"

#include <algorithm>

namespace svmsim {
namespace {

// `start` is at an opening quote. Returns the offset just past the string, or past the line or text that leaves it
// open.
std::size_t end_of_string(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const bool escapes = quote == '"';
  const bool multi_line = text.substr(start, 3) == std::string_view(escapes ? "\"\"\"" : "'''");
  std::size_t at = start + (multi_line ? 3 : 1);
  while (at < text.size()) {
    const char c = text[at];
    if (escapes && c == '\\') {
      at += 2;
    } else if (c == quote && !multi_line) {
      return at + 1;
    } else if (c == quote && text.substr(at, 3) == text.substr(start, 3)) {
      // Up to two quotes directly before the closing three belong to the string.
      at += 3;
      for (int extra = 0; extra < 2 && at < text.size() && text[at] == quote; ++extra) ++at;
      return at;
    } else if (c == '\n' && !multi_line) {
      return at;
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::uint32_t> line_of_excessive_nesting(std::string_view text) {
  std::uint32_t line = 1;
  std::size_t brackets = 0;
  std::size_t parts = 1;  // of the dotted key that the scan may be inside
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    std::size_t next = at + 1;
    switch (c) {
      case '"':
      case '\'':
        next = end_of_string(text, at);
        break;
      case '#':
        next = std::min(text.find('\n', at), text.size());
        break;
      case '.':
        if (++parts > kMaxTomlKeyParts) return line;
        break;
      case '[':
      case '{':
        parts = 1;
        if (++brackets > kMaxTomlBrackets) return line;
        break;
      case ']':
      case '}':
        parts = 1;
        if (brackets > 0) --brackets;
        break;
      case '=':
      case ',':
      case '\n':
        parts = 1;
        break;
      default:
        break;
    }
    line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                  text.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
    at = next;
  }
  return std::nullopt;
}

}  // namespace svmsim
