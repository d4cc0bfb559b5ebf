// SPDX-License-Identifier: Apache-2.0
#include "sim/config/toml_text.h"

#include <fmt/format.h>

namespace svmsim {

std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace svmsim
