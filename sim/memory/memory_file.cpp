// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/memory_file.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sim/descriptor.h"

namespace svmsim {

std::optional<MemoryFile> MemoryFile::create(svmrt::Bytes size) {
  // Asked first, because growing a file beyond the limit is a signal that ends the process.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size.count()) {
    errno = EFBIG;
    return std::nullopt;
  }
  MemoryFile file(above_standard_streams(memfd_create("svmsim-device", MFD_CLOEXEC)));
  if (!file.is_open()) return std::nullopt;
  if (ftruncate(file.fd_, static_cast<off_t>(size.count())) != 0) return std::nullopt;
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

MemoryFile::~MemoryFile() {
  if (is_open()) close(fd_);
}

}  // namespace svmsim
