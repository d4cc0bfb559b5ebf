// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace svmsim {

std::optional<MemoryFile> MemoryFile::create(svmrt::Bytes size) {
  MemoryFile file(memfd_create("svmsim-device", MFD_CLOEXEC));
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
