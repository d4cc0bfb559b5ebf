// SPDX-License-Identifier: Apache-2.0
#include "sim/output/json_document.h"

#include <fmt/format.h>

namespace svmsim {

namespace {

// nlohmann/json prints a double with as many digits as it needs. A number that must keep three decimals travels as an
// object with this one member, its thousandths: texts, whatever is in them, never become an object.
constexpr const char* kThousandths = "thousandths";

Json three_decimals(std::uint64_t thousandths) { return Json{{kThousandths, thousandths}}; }

std::string compact(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append(std::string& text, const Json& value, const std::string& line) {
  if (value.is_object() && value.size() == 1 && value.begin().key() == kThousandths) {
    const auto thousandths = value.begin()->get<std::uint64_t>();
    text += fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
    return;
  }
  if (!value.is_structured() || value.empty()) {
    text += compact(value);
    return;
  }
  text += value.is_object() ? '{' : '[';
  const std::string line_below = line + "  ";
  const char* separator = "";
  for (auto member = value.begin(); member != value.end(); ++member) {
    text += separator + line_below;
    if (value.is_object()) text += compact(member.key()) + ": ";
    append(text, *member, line_below);
    separator = ",";
  }
  text += line + (value.is_object() ? '}' : ']');
}

}  // namespace

Json nanoseconds(svmrt::Picoseconds time) { return three_decimals(time.count()); }

Json microseconds(svmrt::Picoseconds time) {
  return three_decimals(time.count() / 1000 + (time.count() % 1000 >= 500 ? 1 : 0));
}

std::string document_text(const Json& document) {
  std::string text;
  append(text, document, "\n");
  return text + "\n";
}

std::string line_text(const Json& document) { return compact(document); }

}  // namespace svmsim
