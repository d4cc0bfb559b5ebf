// SPDX-License-Identifier: Apache-2.0
// Why a command of `svmsim` ends without a result, and with which exit code. Value type.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "sim/config/toml_reader.h"
#include "sim/output/json_document.h"

namespace svmsim {

enum class ExitCode : int { kFine = 0, kFailed = 1, kBadInput = 2, kNoBoard = 3 };

struct CliError {
  ExitCode exit_code = ExitCode::kBadInput;
  std::string file;     // empty when an option is at fault
  std::string key;      // of the file, or the option ("--policy")
  std::string value;    // what was found
  std::string allowed;  // what would have been right
  std::string message;  // all of it in one line
};

template <typename T>
using CliResult = tl::expected<T, CliError>;

// A mistake in a configuration file.
[[nodiscard]] CliError cli_error(const ConfigError& error);
// An option's value is wrong.
[[nodiscard]] CliError option_error(const std::string& option, const std::string& value, const std::string& allowed);
// The run could not be made, for a reason that is neither a bad value nor a broken rule.
[[nodiscard]] CliError failure(const std::string& message);
// The board, or the libraries through which it is reached, are not where the value of `option` says; an empty value:
// nowhere. `message` names all that was tried.
[[nodiscard]] CliError no_board(const std::string& option, const std::string& value, const std::string& allowed,
                                const std::string& message);

// What a command prints under --json instead of its result.
[[nodiscard]] Json error_document(const CliError& error);

}  // namespace svmsim
