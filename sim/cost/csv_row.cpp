// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/csv_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/config/printable.h"

namespace svmsim {
namespace {

// Exact: no decimal goes through a float.
std::optional<std::uint64_t> nanoseconds_of(std::string_view text, std::uint64_t max) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const auto whole = csv_integer(text.substr(0, dot), 0, max / 1000);
  if (!whole) return std::nullopt;
  std::uint64_t ns = *whole * 1000;
  if (dot < text.size()) {
    const std::string_view decimals = text.substr(dot + 1);
    const auto fraction = csv_integer(decimals, 0, 999);
    if (!fraction || decimals.size() > 3) return std::nullopt;
    ns += *fraction * (decimals.size() == 1 ? 100 : decimals.size() == 2 ? 10 : 1);
  }
  if (ns < 1 || ns > max) return std::nullopt;
  return ns;
}

}  // namespace

std::string_view csv_trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::vector<std::string_view> csv_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  fields.reserve(static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1);
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(csv_trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::string csv_quoted(std::string_view field) {
  constexpr std::size_t kShownBytes = 80;
  return fmt::format("'{}'", printable(field, kShownBytes));
}

std::optional<std::uint64_t> csv_integer(std::string_view text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < min || value > max) return std::nullopt;
  return value;
}

CsvRow::CsvRow(const std::vector<std::string>& columns, const std::vector<std::string_view>& fields) {
  for (std::size_t i = 0; i < columns.size(); ++i) fields_[columns[i]] = fields[i];
}

std::string_view CsvRow::text(std::string_view column) const {
  const auto found = fields_.find(column);
  return found == fields_.end() ? std::string_view{} : found->second;
}

std::uint64_t CsvRow::integer(std::string_view column, std::uint64_t min, std::uint64_t max) {
  const auto value = csv_integer(text(column), min, max);
  if (!value) reject(column, fmt::format("an integer from {} to {}", min, max));
  return value.value_or(min);
}

svmrt::Picoseconds CsvRow::microseconds(std::string_view column, std::uint64_t max_nanoseconds) {
  const auto value = nanoseconds_of(text(column), max_nanoseconds);
  if (!value) {
    reject(column, fmt::format("microseconds from 0.001 to {}, at most three decimals", max_nanoseconds / 1000));
  }
  return svmrt::Picoseconds(value.value_or(1) * 1000);
}

void CsvRow::reject(std::string_view column, std::string allowed) {
  if (!mistake_) mistake_ = ConfigError{"", 0, std::string(column), csv_quoted(text(column)), std::move(allowed)};
}

}  // namespace svmsim
