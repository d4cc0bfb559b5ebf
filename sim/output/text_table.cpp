// SPDX-License-Identifier: Apache-2.0
#include "sim/output/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace svmsim {

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  const auto end_line = [&] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += c == 0 ? fmt::format("{:<{}}", rows_[r][c], widths[c]) : fmt::format("  {:>{}}", rows_[r][c], widths[c]);
    }
    end_line();
    if (r != 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) text += (c == 0 ? "" : "  ") + std::string(widths[c], '-');
    end_line();
  }
  return text;
}

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string microseconds_text(svmrt::Picoseconds time) {
  const std::uint64_t ns = time.count() / 1000 + (time.count() % 1000 >= 500 ? 1 : 0);
  return fmt::format("{}.{:03}", count_text(ns / 1000), ns % 1000);
}

}  // namespace svmsim
