// SPDX-License-Identifier: Apache-2.0
// RAII for an anonymous memory file: memory that can be mapped at several addresses. Thread-compatible.
#pragma once

#include <optional>

#include "runtime/units.h"

namespace svmsim {

class MemoryFile {
 public:
  // Sparse and zero-filled: untouched pages cost nothing. nullopt with errno set when the kernel refuses; EFBIG also
  // where the process may not write files of that size (`ulimit -f`), which counts for memory files too.
  [[nodiscard]] static std::optional<MemoryFile> create(svmrt::Bytes size);
  MemoryFile() = default;  // holds no file
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }  // -1 without a file

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace svmsim
