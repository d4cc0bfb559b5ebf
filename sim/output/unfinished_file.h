// SPDX-License-Identifier: Apache-2.0
// A file while it is written, with no name that anybody waits for. Thread-compatible.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

namespace svmsim {

class UnfinishedFile {
 public:
  // A file in the folder of `path`. None, with errno, on failure.
  // Without a name it is gone with the process, whatever ends that; not every file system has such files.
  [[nodiscard]] static UnfinishedFile without_name(const std::string& path);
  // `path` with an end of its own.
  [[nodiscard]] static UnfinishedFile beside(const std::string& path);
  UnfinishedFile() = default;
  UnfinishedFile(UnfinishedFile&& other) noexcept { *this = std::move(other); }
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();  // closes it, and removes it unless it got its name

  // To write to; null when there is none.
  [[nodiscard]] std::FILE* stream() const { return stream_; }
  // Once what was written has been flushed: its name from now on is `path`, in the same folder, and a file that was
  // there is replaced. False, with errno, on failure.
  [[nodiscard]] bool give_name(const std::string& path);

 private:
  UnfinishedFile(int descriptor, std::string name);
  [[nodiscard]] bool link_to(const std::string& path) const;

  std::FILE* stream_ = nullptr;
  std::string name_;  // empty: none
};

}  // namespace svmsim
