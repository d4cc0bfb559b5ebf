// SPDX-License-Identifier: Apache-2.0
#include "sim/output/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace svmsim {

namespace fs = std::filesystem;

namespace {

// A trace is many short lines: of the standard's few KiB, each write to the system would take longer than the lines.
constexpr std::size_t kBuffer = 256 << 10;

std::string failed(const std::string& what, const std::string& path) {
  return fmt::format("cannot {} {}: {}", what, path, std::strerror(errno));
}

// Where a file of this name is, or would be: links are followed, also those that point to nothing.
fs::path target_of(const std::string& name, std::error_code& error) {
  constexpr int kMostLinks = 40;  // as the system has it
  fs::path path = fs::absolute(name, error);
  std::error_code none;  // of what is not there
  for (int links = 0; !error && fs::is_symlink(fs::symlink_status(path, none)); ++links) {
    if (links == kMostLinks) {
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    } else {
      path = path.parent_path() / fs::read_symlink(path, error);
    }
  }
  return error ? path : fs::weakly_canonical(path, error);
}

}  // namespace

tl::expected<std::unique_ptr<OutputFile>, std::string> OutputFile::create(const std::string& asked_path) {
  if (asked_path.empty()) return tl::unexpected(std::string("an empty name is no file"));
  std::error_code error;
  const fs::file_status found = fs::status(asked_path, error);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    return tl::unexpected(fmt::format("{} is not a regular file", asked_path));
  }
  // The directory of the process may be another one when the file gets its name.
  std::string path = target_of(asked_path, error).string();
  if (error) return tl::unexpected(fmt::format("{}: {}", asked_path, error.message()));
  UnfinishedFile file = UnfinishedFile::without_name(path);
  if (file.stream() == nullptr) file = UnfinishedFile::beside(path);
  if (file.stream() == nullptr) return tl::unexpected(failed("write", path));
  std::setvbuf(file.stream(), nullptr, _IOFBF, kBuffer);  // if it has no memory for that, it keeps its own
  return std::unique_ptr<OutputFile>(new OutputFile(std::move(path), std::move(file)));
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.stream()) != text.size()) failed_ = true;
}

void OutputFile::flush() {
  if (std::fflush(file_.stream()) != 0) failed_ = true;
}

tl::expected<void, std::string> OutputFile::finish() {
  // Some unfinished files only their owner may read; this one is as readable as any other new file.
  const mode_t mask = umask(0);
  umask(mask);
  std::FILE* const stream = file_.stream();
  const bool written = !failed_ && fchmod(fileno(stream), 0666 & ~mask) == 0 && std::fflush(stream) == 0;
  if (!written) return tl::unexpected(failed("write", path_));
  if (!file_.give_name(path_)) return tl::unexpected(failed("name", path_));
  file_ = {};
  return {};
}

}  // namespace svmsim
