// SPDX-License-Identifier: Apache-2.0
#include "sim/output/json_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/config/printable.h"

namespace svmsim {

namespace {

// Walks a text without keeping it.
class Check final : public Json::json_sax_t {
 public:
  explicit Check(const JsonLimits& limits) : limits_(limits) {}

  [[nodiscard]] const std::string& exceeded() const { return exceeded_; }  // which limit; empty: none
  [[nodiscard]] const std::string& repeated() const { return repeated_; }  // a name; empty: none
  [[nodiscard]] const std::string& member() const { return member_; }
  [[nodiscard]] std::size_t position() const { return position_; }  // of the byte that is no JSON

  bool null() override { return value(); }
  bool boolean(bool /*value*/) override { return value(); }
  bool number_integer(Json::number_integer_t /*value*/) override { return value(); }
  bool number_unsigned(Json::number_unsigned_t /*value*/) override { return value(); }
  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) override { return value(); }
  bool string(std::string& /*value*/) override { return value(); }
  bool binary(Json::binary_t& /*value*/) override { return value(); }
  bool start_object(std::size_t /*size*/) override {
    names_.emplace_back();
    return value() && enter();
  }
  bool start_array(std::size_t /*size*/) override { return value() && enter(); }
  bool end_object() override {
    names_.pop_back();
    return leave();
  }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (depth_ == 1) member_ = name;
    if (!within(++members_, limits_.members, "members")) return false;
    // Of two values, which one counts is up to whoever reads it.
    if (!names_.back().insert(name).second) repeated_ = fmt::format("'{}' twice", printable(name, 80));
    return repeated_.empty();
  }
  bool parse_error(std::size_t position, const std::string& /*token*/, const Json::exception& /*what*/) override {
    position_ = position - std::min<std::size_t>(position, 1);
    return false;
  }

 private:
  bool value() { return within(++values_, limits_.values, "values"); }
  bool enter() { return within(++depth_, limits_.depth, "objects and arrays in each other"); }
  bool leave() {
    --depth_;
    return true;
  }
  bool within(std::size_t count, std::size_t limit, const char* what) {
    if (count > limit) exceeded_ = fmt::format("{} {}", limit, what);
    return count <= limit;
  }

  const JsonLimits limits_;
  std::size_t depth_ = 0;
  std::size_t members_ = 0;
  std::size_t values_ = 0;
  std::string member_;
  std::string exceeded_;
  std::vector<std::set<std::string>> names_;  // of the objects that are open
  std::string repeated_;
  std::size_t position_ = 0;
};

std::uint32_t line_of(std::string_view text, std::size_t position) {
  const auto wrong = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return static_cast<std::uint32_t>(1 + std::count(text.begin(), wrong, '\n'));
}

// What is at the byte where no JSON can go on.
std::string found_at(std::string_view text, std::size_t position) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "nothing";
  if (position >= text.size()) return "an end in the middle";
  const std::size_t line = text.substr(0, position).rfind('\n') + 1;  // 0 of npos
  return is_utf8(text.substr(line, text.find('\n', position) - line)) ? "invalid JSON" : "bytes that are not UTF-8";
}

}  // namespace

tl::expected<Json, JsonMistake> parse_json_object(std::string_view text, const JsonLimits& limits) {
  Check check(limits);
  const bool valid = Json::sax_parse(text, &check);
  if (!check.exceeded().empty() && !check.member().empty()) {
    return tl::unexpected(JsonMistake{0, check.member(), "more", fmt::format("at most {}", check.exceeded())});
  }
  if (!check.repeated().empty()) {
    return tl::unexpected(JsonMistake{0, check.member(), check.repeated(), "each name once in an object"});
  }
  Json document = valid ? Json::parse(text) : Json();
  if (document.is_object()) return document;
  const bool json = valid || !check.exceeded().empty();
  return tl::unexpected(JsonMistake{line_of(text, check.position()), "",
                                    json ? "something else" : found_at(text, check.position()), "a JSON object"});
}

}  // namespace svmsim
