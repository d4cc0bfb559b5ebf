// SPDX-License-Identifier: Apache-2.0
// The file formats that svmsim reads, for a fuzzer: each parsed from text as the command parses a file of it, and used
// as far as that is cheap. Thread-bound.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/cli_error.h"

namespace svmsim {

struct InputFormat {
  char letter;              // the first byte of an input
  std::string_view folder;  // under fixtures/: where files of the format are
  std::string_view ending;  // of their names
  // What is wrong with the file, if anything. Aborts, and says on stderr why, when something is wrong with svmsim.
  std::optional<CliError> (*read)(std::string_view text, const std::string& file);
  // The name that errors are to carry; no file has it. Files beside it are those of `folder`.
  [[nodiscard]] std::string file() const;
};

[[nodiscard]] std::span<const InputFormat> input_formats();
// Of an input that begins with `first`: every byte means one.
[[nodiscard]] const InputFormat& input_format(unsigned char first);

}  // namespace svmsim
