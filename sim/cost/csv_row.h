// SPDX-License-Identifier: Apache-2.0
// A line of a CSV file of numbers and words, without quotation marks. Thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/units.h"
#include "sim/config/toml_reader.h"

namespace svmsim {

// Without the blanks (a carriage return is one) at both ends.
[[nodiscard]] std::string_view csv_trimmed(std::string_view text);
// What stands between the commas, trimmed; at least one field.
[[nodiscard]] std::vector<std::string_view> csv_fields(std::string_view line);
// As messages show a field: in quotes, printable, shortened.
[[nodiscard]] std::string csv_quoted(std::string_view field);
// Digits alone, `min` to `max`.
[[nodiscard]] std::optional<std::uint64_t> csv_integer(std::string_view field, std::uint64_t min, std::uint64_t max);

// The fields by column, read as values. The first mistake is kept, and what is read after it means nothing. Borrows the
// line.
class CsvRow {
 public:
  // As many fields as columns.
  CsvRow(const std::vector<std::string>& columns, const std::vector<std::string_view>& fields);

  [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }
  // Empty without such a column.
  [[nodiscard]] std::string_view text(std::string_view column) const;
  [[nodiscard]] std::uint64_t integer(std::string_view column, std::uint64_t min, std::uint64_t max);
  // A time above 0 in microseconds, with at most three decimals.
  [[nodiscard]] svmrt::Picoseconds microseconds(std::string_view column, std::uint64_t max_nanoseconds);
  template <typename E, std::size_t N>
  [[nodiscard]] E word(std::string_view column, const Choice<E> (&choices)[N]) {
    std::string allowed = "one of";
    for (const Choice<E>& choice : choices) {
      if (choice.name == text(column)) return choice.value;
      allowed += (&choice == choices ? " '" : ", '") + std::string(choice.name) + "'";
    }
    reject(column, std::move(allowed));
    return choices[0].value;
  }

  void reject(std::string_view column, std::string allowed);
  // Without file and line.
  [[nodiscard]] const std::optional<ConfigError>& mistake() const { return mistake_; }

 private:
  std::map<std::string, std::string_view, std::less<>> fields_;
  std::optional<ConfigError> mistake_;
};

}  // namespace svmsim
