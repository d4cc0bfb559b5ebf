// SPDX-License-Identifier: Apache-2.0
#include "cli/json_reader.h"

#include <fmt/format.h>

#include <limits>

#include "sim/config/printable.h"

namespace svmsim {

namespace {

std::string described(const Json* value) {
  constexpr std::size_t kShownBytes = 80;
  if (value == nullptr) return "nothing";
  if (value->is_array()) return fmt::format("an array of {}", value->size());
  if (value->is_object()) return "an object";
  if (value->is_string()) return fmt::format("\"{}\"", printable(value->get_ref<const std::string&>(), kShownBytes));
  return value->dump();
}

}  // namespace

const Json* JsonReader::find(const std::string& key) {
  asked_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

void JsonReader::reject(const std::string& key, const Json* found, const std::string& allowed) {
  if (error_) return;
  error_ = cli_error(ConfigError{path_, 0, prefix_ + key, described(found), allowed});
}

void JsonReader::reject_others() {
  for (const auto& member : object_.items()) {
    if (!asked_.contains(member.key())) reject(member.key(), &member.value(), "members " + printable_list(asked_));
  }
}

std::uint64_t JsonReader::integer(const std::string& key, std::uint64_t min, std::uint64_t max) {
  const Json* const found = find(key);
  if (found != nullptr && found->is_number_unsigned()) {
    const auto value = found->get<std::uint64_t>();
    if (value >= min && value <= max) return value;
  }
  reject(key, found, fmt::format("an integer from {} to {}", min, max));
  return min;
}

bool JsonReader::boolean(const std::string& key) {
  const Json* const found = find(key);
  if (found != nullptr && found->is_boolean()) return found->get<bool>();
  reject(key, found, "true or false");
  return false;
}

std::string JsonReader::text(const std::string& key) {
  const Json* const found = find(key);
  if (found != nullptr && found->is_string()) return found->get<std::string>();
  reject(key, found, "a text");
  return "";
}

std::optional<std::string> JsonReader::text_or_null(const std::string& key) {
  const Json* const found = find(key);
  if (found != nullptr && found->is_null()) return std::nullopt;
  return text(key);
}

std::vector<std::string> JsonReader::texts(const std::string& key) {
  std::vector<std::string> all;
  for (const Json& one : array(key)) {
    if (one.is_string()) {
      all.push_back(one.get<std::string>());
    } else {
      reject(key, &one, "texts");
    }
  }
  return all;
}

const Json::array_t& JsonReader::array(const std::string& key) {
  static const Json::array_t empty;
  const Json* const found = find(key);
  if (found != nullptr && found->is_array()) return found->get_ref<const Json::array_t&>();
  reject(key, found, "an array");
  return empty;
}

const Json* JsonReader::object(const std::string& key, bool may_be_null) {
  const Json* const found = find(key);
  if (found != nullptr && found->is_object()) return found;
  if (found == nullptr || !found->is_null() || !may_be_null) reject(key, found, "an object");
  return nullptr;
}

std::vector<std::pair<std::string, std::uint64_t>> JsonReader::integers(const std::string& key) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  const Json* const members = object(key, false);
  if (members == nullptr) return all;
  JsonReader part(path_, prefix_ + key + ".", *members);
  for (const auto& member : members->items()) {
    all.emplace_back(member.key(), part.integer(member.key(), 0, std::numeric_limits<std::uint64_t>::max()));
  }
  take_error_of(part);
  return all;
}

}  // namespace svmsim
