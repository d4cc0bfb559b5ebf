// SPDX-License-Identifier: Apache-2.0
// Reads members of a JSON document of the command's own, which anybody may have changed, and keeps the first mistake.
// Borrows the document. Thread-bound.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/cli_error.h"
#include "sim/output/json_document.h"

namespace svmsim {

class JsonReader {
 public:
  // `object` is part of the file at `path`; `prefix` stands in front of its keys in messages ("shard.").
  JsonReader(std::string path, std::string prefix, const Json& object)
      : path_(std::move(path)), prefix_(std::move(prefix)), object_(object) {}

  // What is not as asked is kept as the error, and something of its type returned.
  [[nodiscard]] std::uint64_t integer(const std::string& key, std::uint64_t min, std::uint64_t max);
  [[nodiscard]] bool boolean(const std::string& key);
  [[nodiscard]] std::string text(const std::string& key);
  [[nodiscard]] std::optional<std::string> text_or_null(const std::string& key);
  [[nodiscard]] std::vector<std::string> texts(const std::string& key);
  [[nodiscard]] const Json::array_t& array(const std::string& key);
  // Null when it is null, or no object.
  [[nodiscard]] const Json* object(const std::string& key, bool may_be_null);
  // An object of integers, in its order.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> integers(const std::string& key);

  // Whatever nothing above has asked for by now is no member that this document has.
  void reject_others();
  void reject(const std::string& key, const Json* found, const std::string& allowed);
  void take_error_of(const JsonReader& part) {
    if (!error_) error_ = part.error_;
  }
  [[nodiscard]] const std::optional<CliError>& error() const { return error_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] const Json* find(const std::string& key);

  const std::string path_;
  const std::string prefix_;
  const Json& object_;
  std::set<std::string> asked_;
  std::optional<CliError> error_;
};

}  // namespace svmsim
