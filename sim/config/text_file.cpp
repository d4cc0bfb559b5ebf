// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "sim/config/input_files.h"

namespace svmsim {

tl::expected<std::string, UnreadableFile> read_text_file(const std::string& path, std::string_view kind,
                                                         std::uint64_t limit) {
  const std::string wanted = fmt::format("a readable {} of at most {} MiB", kind, limit >> 20);
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) {
    return tl::unexpected(UnreadableFile{"no such file", wanted});
  }
  if (failure) return tl::unexpected(UnreadableFile{failure.message(), wanted});
  // A pipe or a terminal could block for ever.
  if (status.type() == std::filesystem::file_type::directory) {
    return tl::unexpected(UnreadableFile{"a directory", wanted});
  }
  if (status.type() != std::filesystem::file_type::regular) {
    return tl::unexpected(UnreadableFile{"a special file", wanted});
  }
  std::ifstream input(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = input ? static_cast<std::streamoff>(input.tellg()) : -1;
  if (size < 0) return tl::unexpected(UnreadableFile{"a file that cannot be opened", wanted});
  if (static_cast<std::uint64_t>(size) > limit) {
    return tl::unexpected(UnreadableFile{fmt::format("a file of {} bytes", size), wanted});
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  input.seekg(0);
  input.read(text.data(), size);
  if (input.gcount() != size) return tl::unexpected(UnreadableFile{"a file that cannot be read", wanted});
  note_input_file(path);
  return text;
}

}  // namespace svmsim
