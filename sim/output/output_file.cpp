// SPDX-License-Identifier: Apache-2.0
#include "sim/output/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sim/descriptor.h"

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
  std::string unfinished = path + ".XXXXXX";
  const int descriptor = above_standard_streams(mkostemp(unfinished.data(), O_CLOEXEC));
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  if (file == nullptr) return tl::unexpected(failed("write", path));
  std::setvbuf(file, nullptr, _IOFBF, kBuffer);  // if it has no memory for that, it keeps its own
  return std::unique_ptr<OutputFile>(new OutputFile(std::move(path), std::move(unfinished), file));
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(unfinished_path_.c_str());
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed_ = true;
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) failed_ = true;
}

tl::expected<void, std::string> OutputFile::finish() {
  // mkostemp makes files that only their owner may read; this one is as readable as any other new file.
  const mode_t mask = umask(0);
  umask(mask);
  const bool written = !failed_ && fchmod(fileno(file_), 0666 & ~mask) == 0 && std::fflush(file_) == 0;
  if (!written) return tl::unexpected(failed("write", path_));
  if (std::rename(unfinished_path_.c_str(), path_.c_str()) != 0) return tl::unexpected(failed("name", path_));
  std::fclose(std::exchange(file_, nullptr));
  return {};
}

}  // namespace svmsim
