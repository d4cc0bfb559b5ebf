// SPDX-License-Identifier: Apache-2.0
#include "sim/output/json_parse.h"

#include <fmt/format.h>

#include <algorithm>

namespace svmsim {

namespace {

// Walks a text without keeping it.
class Check final : public Json::json_sax_t {
 public:
  explicit Check(const JsonLimits& limits) : limits_(limits) {}

  [[nodiscard]] const std::string& exceeded() const { return exceeded_; }  // which limit; empty: none
  [[nodiscard]] const std::string& member() const { return member_; }
  [[nodiscard]] std::size_t position() const { return position_; }  // of the byte that is no JSON

  bool null() override { return value(); }
  bool boolean(bool /*value*/) override { return value(); }
  bool number_integer(Json::number_integer_t /*value*/) override { return value(); }
  bool number_unsigned(Json::number_unsigned_t /*value*/) override { return value(); }
  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) override { return value(); }
  bool string(std::string& /*value*/) override { return value(); }
  bool binary(Json::binary_t& /*value*/) override { return value(); }
  bool start_object(std::size_t /*size*/) override { return value() && enter(); }
  bool start_array(std::size_t /*size*/) override { return value() && enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (depth_ == 1) member_ = name;
    return within(++members_, limits_.members, "members");
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
  std::size_t position_ = 0;
};

}  // namespace

tl::expected<Json, JsonMistake> parse_json_object(std::string_view text, const JsonLimits& limits) {
  Check check(limits);
  const bool valid = Json::sax_parse(text, &check);
  if (!check.exceeded().empty() && !check.member().empty()) {
    return tl::unexpected(JsonMistake{0, check.member(), "more", fmt::format("at most {}", check.exceeded())});
  }
  Json document = valid ? Json::parse(text) : Json();
  if (document.is_object()) return document;
  const auto wrong = text.begin() + static_cast<std::ptrdiff_t>(std::min(check.position(), text.size()));
  const auto line = static_cast<std::uint32_t>(1 + std::count(text.begin(), wrong, '\n'));
  const bool json = valid || !check.exceeded().empty();
  return tl::unexpected(JsonMistake{line, "", json ? "something else" : "invalid JSON", "a JSON object"});
}

}  // namespace svmsim
