// SPDX-License-Identifier: Apache-2.0
// Reads a whole file of a user's, which may be anything. Function of the file system, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace svmsim {

struct UnreadableFile {
  std::string found;    // "no such file", "a directory", ...
  std::string allowed;  // "a readable TOML file of at most 2 MiB"
};

// Every byte of the regular file at `path`. `kind` is what the message calls such a file ("TOML file"); one of more
// than `limit` bytes, a number of MiB, is refused unread, and so is what could block. Notes the file (note_input_file).
[[nodiscard]] tl::expected<std::string, UnreadableFile> read_text_file(const std::string& path, std::string_view kind,
                                                                       std::uint64_t limit);

}  // namespace svmsim
