// SPDX-License-Identifier: Apache-2.0
// Writes every call of a machine to a file: JSON lines, or Chrome trace events (open them in ui.perfetto.dev). The
// file appears under its name only when it is complete. Addresses are relative to the slice, times simulated, so the
// same run writes the same bytes. Thread-bound to its machine's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "sim/machine/call_record.h"
#include "sim/output/output_file.h"

namespace svmsim {

// A kernel instance on a core of the device, as a launch that is in the trace brought it about.
struct CoreTraceSpan {
  std::string_view core_kind;  // "cube" or "vector"
  std::uint32_t core = 0;      // counted per kind
  std::string_view kernel;     // its name
  std::uint32_t task = 0;      // of the launch's graph
  std::uint32_t block = 0;     // instance of the task
  svmrt::Picoseconds begin;
  svmrt::Picoseconds cost;
};

class TraceWriter final : public CallObserver {
 public:
  enum class Format { kJsonLines, kChromeEvents };

  // `path` ending in .jsonl: JSON lines; otherwise Chrome events. What may be replaced, and errors, as OutputFile.
  [[nodiscard]] static tl::expected<std::unique_ptr<TraceWriter>, std::string> create(const std::string& path);
  // Where the file will be: absolute.
  [[nodiscard]] const std::string& path() const { return file_->path(); }
  // Device address that counts as 0 in the file; before the first call.
  void set_origin(svmrt::DeviceAddr origin) { origin_ = origin; }
  void on_call(const CallRecord& record) override;
  // A line, or in Chrome events a track per core in a process of its own. Not while another thread calls the machine.
  void add_core_span(const CoreTraceSpan& span);
  // Hands what was written so far to the system: before a fork, so that the child has nothing left to write. Not once
  // finished.
  void flush() { file_->flush(); }
  // Completes the file and gives it its name.
  [[nodiscard]] tl::expected<void, std::string> finish();

 private:
  TraceWriter(std::unique_ptr<OutputFile> file, Format format) : file_(std::move(file)), format_(format) {}
  void write_event(std::string_view event);  // of Chrome's

  std::unique_ptr<OutputFile> file_;
  Format format_;
  svmrt::DeviceAddr origin_;
  std::uint64_t events_ = 0;
  std::set<std::uint64_t> named_tracks_;
};

}  // namespace svmsim
