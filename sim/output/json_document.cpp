// SPDX-License-Identifier: Apache-2.0
#include "sim/output/json_document.h"

#include <fmt/format.h>

namespace svmsim {

namespace {

// nlohmann/json prints a double with as many digits as it needs. A number that must keep three decimals travels as a
// text behind this mark and loses its quotes on the way out.
constexpr std::string_view kNumberMark = "\x01";
constexpr std::string_view kQuotedMark = "\"\\u0001";  // as it stands in the dumped text

Json three_decimals(std::uint64_t thousandths) {
  return fmt::format("{}{}.{:03}", kNumberMark, thousandths / 1000, thousandths % 1000);
}

}  // namespace

Json nanoseconds(svmrt::Picoseconds time) { return three_decimals(time.count()); }

Json microseconds(svmrt::Picoseconds time) {
  return three_decimals(time.count() / 1000 + (time.count() % 1000 >= 500 ? 1 : 0));
}

std::string document_text(const Json& document) {
  const std::string dumped = document.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string text;
  text.reserve(dumped.size() + 1);
  std::size_t at = 0;
  for (std::size_t mark = dumped.find(kQuotedMark); mark != std::string::npos; mark = dumped.find(kQuotedMark, at)) {
    text.append(dumped, at, mark - at);
    const std::size_t number = mark + kQuotedMark.size();
    const std::size_t end = dumped.find_first_not_of("0123456789.", number);
    const bool ours = end > number && dumped[end] == '"';  // a text of somebody else that starts with the mark is not
    text.append(dumped, ours ? number : mark, end - (ours ? number : mark));
    at = ours ? end + 1 : end;
  }
  text.append(dumped, at);
  return text + "\n";
}

std::string line_text(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace svmsim
