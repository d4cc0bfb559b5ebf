// SPDX-License-Identifier: Apache-2.0
// Writes every call of a machine to a file: JSON lines, or Chrome trace events (open them in ui.perfetto.dev). The
// file appears under its name only when it is complete. Addresses are relative to the slice, times simulated, so the
// same run writes the same bytes. Thread-bound to its machine's lock.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "sim/machine/call_record.h"

namespace svmsim {

class TraceWriter final : public CallObserver {
 public:
  enum class Format { kJsonLines, kChromeEvents };

  // `path` ending in .jsonl: JSON lines; otherwise Chrome events. What is there already must be a regular file (a link
  // is followed) and is replaced as a whole; nothing else is ever replaced. The error names the path and the reason.
  [[nodiscard]] static tl::expected<std::unique_ptr<TraceWriter>, std::string> create(const std::string& path);
  ~TraceWriter() override;  // removes the unfinished file

  // Device address that counts as 0 in the file; before the first call.
  void set_origin(svmrt::DeviceAddr origin) { origin_ = origin; }
  void on_call(const CallRecord& record) override;
  // Hands what was written so far to the system: before a fork, so that the child has nothing left to write. Not once
  // finished.
  void flush();
  // Completes the file and gives it its name.
  [[nodiscard]] tl::expected<void, std::string> finish();

 private:
  TraceWriter(std::string path, std::string unfinished_path, std::FILE* file, Format format)
      : path_(std::move(path)), unfinished_path_(std::move(unfinished_path)), file_(file), format_(format) {}
  void write(std::string_view text);

  std::string path_;
  std::string unfinished_path_;  // beside path_, of this writer alone
  std::FILE* file_;              // null once finished
  bool failed_ = false;
  Format format_;
  svmrt::DeviceAddr origin_;
  std::uint64_t records_ = 0;
};

}  // namespace svmsim
