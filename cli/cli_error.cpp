// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_error.h"

#include <fmt/format.h>

namespace svmsim {

CliError cli_error(const ConfigError& error) {
  return {ExitCode::kBadInput, error.file, error.key, error.value, error.allowed, error.message()};
}

CliError option_error(const std::string& option, const std::string& value, const std::string& allowed) {
  return {ExitCode::kBadInput,
          "",
          option,
          value,
          allowed,
          fmt::format("{}: found '{}'; allowed: {}", option, value, allowed)};
}

CliError failure(const std::string& message) { return {ExitCode::kFailed, "", "", "", "", message}; }

CliError no_board(const std::string& option, const std::string& value, const std::string& allowed,
                  const std::string& message) {
  return {ExitCode::kNoBoard, "", option, value, allowed, message};
}

Json error_document(const CliError& error) {
  Json details;
  details["file"] = error.file;
  details["key"] = error.key;
  details["value"] = error.value;
  details["allowed"] = error.allowed;
  details["message"] = error.message;
  Json document;
  document["error"] = details;
  return document;
}

}  // namespace svmsim
