// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name only when it is complete. Thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "sim/output/unfinished_file.h"

namespace svmsim {

class OutputFile {
 public:
  // What is at `path` already must be a regular file (a link is followed) and is replaced as a whole; nothing else is
  // ever replaced. The error names the path and the reason.
  [[nodiscard]] static tl::expected<std::unique_ptr<OutputFile>, std::string> create(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() = default;  // an unfinished file is gone

  // Where the file will be: absolute, without links or dots.
  [[nodiscard]] const std::string& path() const { return path_; }
  // A failure shows at finish().
  void write(std::string_view text);
  // Hands what was written so far to the system: before a fork, so that the child has nothing left to write. Not once
  // finished.
  void flush();
  // Completes the file and gives it its name.
  [[nodiscard]] tl::expected<void, std::string> finish();

 private:
  OutputFile(std::string path, UnfinishedFile file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  UnfinishedFile file_;  // none once finished
  bool failed_ = false;
};

}  // namespace svmsim
