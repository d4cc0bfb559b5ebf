// SPDX-License-Identifier: Apache-2.0
#include "sim/output/unfinished_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "sim/descriptor.h"

namespace svmsim {

namespace {

// The name under which the system shows a descriptor's file, also one that has no other.
std::string shown_name(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

// Takes both; the name may be empty.
UnfinishedFile::UnfinishedFile(int descriptor, std::string name)
    : stream_(descriptor < 0 ? nullptr : fdopen(descriptor, "wb")), name_(std::move(name)) {
  if (stream_ == nullptr && descriptor >= 0) close(descriptor);
}

UnfinishedFile UnfinishedFile::without_name(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  constexpr mode_t kMode = 0666;  // but for what the umask takes
  UnfinishedFile file(above_standard_streams(open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode)), {});
  // Without /proc it would never get a name.
  const bool can_be_named = file.stream_ != nullptr && access(shown_name(fileno(file.stream_)).c_str(), F_OK) == 0;
  return can_be_named ? std::move(file) : UnfinishedFile();
}

UnfinishedFile UnfinishedFile::beside(const std::string& path) {
  std::string name = path + ".XXXXXX";
  const int descriptor = above_standard_streams(mkostemp(name.data(), O_CLOEXEC));
  return descriptor < 0 ? UnfinishedFile() : UnfinishedFile(descriptor, std::move(name));
}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(name_, other.name_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (stream_ != nullptr) std::fclose(stream_);
  if (!name_.empty()) std::remove(name_.c_str());
}

bool UnfinishedFile::link_to(const std::string& path) const {
  return linkat(AT_FDCWD, shown_name(fileno(stream_)).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool UnfinishedFile::give_name(const std::string& path) {
  constexpr int kMostNames = 1000;
  if (name_.empty()) {
    if (link_to(path)) return true;
    // A name of its own first, because a link replaces nothing.
    for (int number = 0; name_.empty(); ++number) {
      if (errno != EEXIST || number == kMostNames) return false;
      std::string name = fmt::format("{}.{}", path, number);
      if (link_to(name)) name_ = std::move(name);
    }
  }
  if (std::rename(name_.c_str(), path.c_str()) != 0) return false;
  name_.clear();
  return true;
}

}  // namespace svmsim
