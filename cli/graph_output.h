// SPDX-License-Identifier: Apache-2.0
// Writes the task graph that an orchestration built, as far as it came, to a file: one JSON document, or Graphviz DOT.
// Addresses are relative to the slice, so the same run writes the same bytes. The file appears only when it is
// complete. Thread-compatible.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "runtime/orchestration/task_graph.h"
#include "runtime/units.h"
#include "sim/device/kernel_table.h"
#include "sim/output/output_file.h"

namespace svmsim {

class GraphOutput {
 public:
  // `path` ends in .json or .dot. The error says so, or what OutputFile has against the path.
  [[nodiscard]] static tl::expected<GraphOutput, std::string> create(const std::string& path);
  // Where the file will be: absolute.
  [[nodiscard]] const std::string& path() const { return file_->path(); }
  // Once. `scene` heads the file; `kernels` gives the functions their names; `origin` is the address that counts as 0.
  void write(std::string_view scene, const svmrt::TaskGraph& graph, const KernelTable& kernels,
             svmrt::DeviceAddr origin);
  // Completes the file and gives it its name; without write() there is none.
  [[nodiscard]] tl::expected<void, std::string> finish();

 private:
  enum class Format { kJson, kDot };
  GraphOutput(std::unique_ptr<OutputFile> file, Format format) : file_(std::move(file)), format_(format) {}

  std::unique_ptr<OutputFile> file_;
  Format format_;
  bool written_ = false;
};

}  // namespace svmsim
