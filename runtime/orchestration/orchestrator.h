// SPDX-License-Identifier: Apache-2.0
// Runs on the host behind the public orchestration interface: takes submits, infers dependencies, places outputs in
// the runtime heap and fills a TaskGraph. One Orchestrator serves one run. Borrows the TensorAccess; the heap's
// device memory belongs to the caller. Thread-bound.
//
// The first fatal wins; from then on every entry of the table is a no-op that returns empty or 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/orchestration/api/pto_ops.h"
#include "runtime/orchestration/host_element_io.h"
#include "runtime/orchestration/orchestration_report.h"
#include "runtime/orchestration/runtime_heap.h"
#include "runtime/orchestration/task_graph.h"
#include "runtime/orchestration/tensor_map.h"
#include "runtime/orchestration/written_memory.h"
#include "runtime/result.h"
#include "runtime/tensor_access.h"
#include "runtime/units.h"

namespace svmrt {

// Defaults are those of the public runtime (hw-native-sys/simpler, host_build_graph).
struct OrchestratorConfig {
  DeviceAddr heap_base;  // where outputs are created; null or size 0: no output can be
  Bytes heap_size;

  std::uint32_t task_window = 16384;         // tasks, allocation tasks included; one more is fatal 3
  std::uint32_t tensor_map_entries = 65536;  // recorded writers at a time; one more is fatal 11
  std::uint32_t scope_depth = 64;            // open scopes; one more is fatal 1
  std::uint32_t fan_in = 128;                // predecessors of a task; one more is fatal 4

  std::int32_t cluster_count = 0;  // cube cores, each with its vector cores
  std::int32_t aiv_count = 0;      // vector cores

  OrchestrationLog log;  // may be empty
};

class Orchestrator {
 public:
  Orchestrator(TensorAccess& access, OrchestratorConfig config);
  Orchestrator(const Orchestrator&) = delete;
  Orchestrator& operator=(const Orchestrator&) = delete;

  // What a callable is invoked with. Valid as long as this object.
  [[nodiscard]] const Pto2Ops& ops() const;
  [[nodiscard]] void* context() { return this; }

  [[nodiscard]] bool is_fatal() const { return report_.is_fatal(); }
  // A PTO2_ERROR_* number, or what the program reported; PTO2_ERROR_NONE without a fatal.
  [[nodiscard]] std::int32_t fatal_code() const { return report_.code(); }
  [[nodiscard]] const std::string& fatal_message() const { return report_.message(); }
  // The fatal as an Error of kind kOrchestration.
  [[nodiscard]] Result<void> result() const { return report_.result(); }

  // Complete when the entry point returned without a fatal. Borrowed: valid as long as this object.
  [[nodiscard]] const TaskGraph& graph() const { return graph_; }
  [[nodiscard]] Bytes heap_used() const { return heap_.used(); }

 private:
  struct Table;  // the functions of ops()

  TaskOutputTensors submit(std::string_view call, const MixedKernels* kernels, const CoreTaskArgs& args);
  TaskOutputTensors alloc(const CoreTaskArgs& args);
  void scope_begin(PTO2ScopeMode mode);
  void scope_end();

  // The steps of a graph submission. Each returns false, or nothing, after a fatal.
  bool graph_begin(std::uint64_t id);
  bool graph_prepare(const GraphTaskArgs& args);
  void graph_abort();
  bool graph_end();
  GraphSubmitResult graph_commit();

  // The steps of a submit. Each returns false after a fatal.
  bool check_args(std::string_view call, const CoreTaskArgs& args);
  bool set_launch(std::string_view call, const MixedKernels& kernels, const CoreTaskArgs& args, TaskRecord& record);
  TaskOutputTensors add_task(std::string_view call, const CoreTaskArgs& args, TaskRecord record);
  bool add_explicit_predecessors(std::string_view call, const CoreTaskArgs& args);
  bool collect_tensors(std::string_view call, const CoreTaskArgs& args);
  bool infer_predecessors(std::string_view call, std::int32_t position, const TaskTensor& argument);
  // `info` has passed check_args.
  bool create_output(std::string_view call, std::int32_t position, const TensorCreateInfo& info, ChipTensor& tensor);
  [[nodiscard]] bool inside_heap(const ChipTensor& tensor) const;  // every written byte
  bool record_writers(std::string_view call);
  bool add_predecessor(std::string_view call, std::uint32_t task);
  // The outputs among the collected tensors, at an address that stays.
  TaskOutputTensors keep_outputs(PTO2TaskId id);

  [[nodiscard]] bool in_manual_scope() const { return !scopes_.empty() && scopes_.back() == PTO2ScopeMode::MANUAL; }
  [[nodiscard]] std::uint32_t next_task() const { return static_cast<std::uint32_t>(graph_.tasks().size()); }
  bool fatal(std::int32_t code, std::string message);  // false, for the steps to return

  OrchestratorConfig config_;
  OrchestrationReport report_;
  RuntimeHeap heap_;
  TensorMap writers_;      // what dependencies are inferred from: not those in MANUAL scopes and of manual_dep tensors
  WrittenMemory written_;  // what forbids host access: every writer, except of memory inside the heap
  HostElementIo io_;
  TaskGraph graph_;
  std::vector<PTO2ScopeMode> scopes_;

  // A graph between its begin and its commit, with what an abort puts back.
  struct Recording {
    std::uint64_t id = 0;
    TaskGraph::Mark mark;
    RuntimeHeap heap;
    TensorMap writers;
    WrittenMemory written;
    std::size_t scopes = 0;
    std::optional<std::size_t> end;  // tasks in graph_ when it ended
  };
  std::optional<Recording> recording_;

  // Created tensors, in blocks that never move, because programs hold references to them until the end.
  static constexpr std::size_t kOutputBlock = 1024;
  std::vector<std::unique_ptr<ChipTensor[]>> output_blocks_;
  std::size_t output_block_used_ = kOutputBlock;

  // Of the submit in progress; kept for their capacity.
  std::vector<TaskTensor> tensors_;
  std::vector<std::uint64_t> scalars_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> found_writers_;
  std::vector<std::uint32_t> listed_for_;  // per task: the last task (plus 1) that it was listed as predecessor of
};

}  // namespace svmrt
