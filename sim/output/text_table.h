// SPDX-License-Identifier: Apache-2.0
// A table for people: columns as wide as their widest cell, the first column left-aligned, the others right-aligned.
#pragma once

#include <string>
#include <vector>

#include "runtime/units.h"

namespace svmsim {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  // As many cells as the header has.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Header, a rule, rows; each line ends in a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Microseconds with three decimals, thousands separated: "161,780.800".
[[nodiscard]] std::string microseconds_text(svmrt::Picoseconds time);
// "1,024".
[[nodiscard]] std::string count_text(std::uint64_t count);

}  // namespace svmsim
