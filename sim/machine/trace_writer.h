// SPDX-License-Identifier: Apache-2.0
// Writes every call of a machine to a file: JSON lines, or Chrome trace events (open them in ui.perfetto.dev). The
// file appears under its name only when it is complete. Addresses are relative to the slice, times simulated, so the
// same run writes the same bytes. Thread-bound to its machine's lock.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "sim/machine/call_record.h"

namespace svmsim {

class TraceWriter final : public CallObserver {
 public:
  enum class Format { kJsonLines, kChromeEvents };

  // `path` ending in .jsonl: JSON lines; otherwise Chrome events. The error names the path and the reason.
  [[nodiscard]] static tl::expected<std::unique_ptr<TraceWriter>, std::string> create(const std::string& path);
  ~TraceWriter() override;  // removes the unfinished file

  // Device address that counts as 0 in the file; before the first call.
  void set_origin(svmrt::DeviceAddr origin) { origin_ = origin; }
  void on_call(const CallRecord& record) override;
  // Completes the file and gives it its name.
  [[nodiscard]] tl::expected<void, std::string> finish();

 private:
  TraceWriter(std::string path, Format format);
  [[nodiscard]] std::string unfinished_path() const { return path_ + ".unfinished"; }

  std::string path_;
  Format format_;
  std::ofstream file_;
  svmrt::DeviceAddr origin_;
  std::uint64_t records_ = 0;
};

}  // namespace svmsim
