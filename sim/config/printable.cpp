// SPDX-License-Identifier: Apache-2.0
#include "sim/config/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace svmsim {

namespace {

// Bytes of the character that `text`, which is not empty, begins with; 0 when it is not UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned next = byte(1);
  const bool overlong = (lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90);
  const bool surrogate = lead == 0xED && next >= 0xA0;
  const bool beyond = lead == 0xF4 && next >= 0x90;
  return overlong || surrogate || beyond ? 0 : bytes;
}

// Of a character of so many bytes.
bool is_control(std::string_view text, std::size_t bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (bytes == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  return bytes == 2 && byte(0) == 0xC2 && byte(1) < 0xA0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string line;
  line.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    if (line.size() >= limit) return line + "...";
    std::size_t bytes = character_bytes(text);
    if (is_control(text, bytes)) bytes = 0;
    if (bytes == 0) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return line;
}

}  // namespace svmsim
