// SPDX-License-Identifier: Apache-2.0
// One run from bind to completion: stage the arguments, let the orchestration build its task graph, close the host
// views, execute, bring the outputs back. Thread-bound; several BoundRuns of one runner may live on several threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/device_runner.h"
#include "runtime/executor.h"
#include "runtime/orchestration/callable.h"
#include "runtime/orchestration/orchestrator.h"
#include "runtime/run/argument.h"
#include "runtime/run/run_report.h"
#include "runtime/tensor_access.h"

namespace svmrt {

struct RunRequest {
  std::span<const TensorArgument> tensors;
  std::span<const DeviceAddr> child_memory;  // one per tensor; null for staged ones
  std::span<const std::uint64_t> scalars;
  OrchestratorConfig orchestrator;  // its heap is the caller's
  Callable* callable = nullptr;
};

class BoundRun {
 public:
  // Opens a run on `runner` (borrowed) and stages nothing yet.
  [[nodiscard]] static Result<std::unique_ptr<BoundRun>> open(DeviceRunner& runner, const RunRequest& request);
  BoundRun(const BoundRun&) = delete;
  BoundRun& operator=(const BoundRun&) = delete;
  // Closes the run; staged device buffers that finish() did not free are freed, failures are logged and counted.
  ~BoundRun();

  // Stages, orchestrates and closes the host views, also when the orchestration fails: kOrchestration carries the
  // fatal's code, kDriver a failed allocation or upload. kDeferred: the orchestration read bytes that another live run
  // of the runner, which the error names, is going to write; a new BoundRun may bind once that one executed or is gone.
  // Call once.
  [[nodiscard]] Result<void> bind();
  // Launches the graph and waits. After a successful bind only.
  [[nodiscard]] Result<void> execute(Executor& executor);
  // Copies staged outputs back and frees what was staged. The first failure is returned; the rest is still done.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] RunNumber number() const { return context_->number(); }
  [[nodiscard]] TimelineId timeline() const { return context_->timeline(); }
  // Device address of each argument; null before bind() for staged ones.
  [[nodiscard]] std::span<const DeviceAddr> device_addresses() const { return addresses_; }
  [[nodiscard]] const TaskGraph& graph() const { return orchestrator_->graph(); }
  // Filled in step by step; valid also after a failure.
  [[nodiscard]] const RunReport& report() const { return report_; }

 private:
  BoundRun(DeviceRunner& runner, const RunRequest& request, std::unique_ptr<RunContext> context);
  [[nodiscard]] Result<void> stage();
  [[nodiscard]] Result<void> stage_one(std::size_t index);
  [[nodiscard]] Result<void> claim_regions();
  void map_all_child_memory();
  void declare_produced();
  [[nodiscard]] Result<void> orchestrate();
  void close_host_views();
  [[nodiscard]] Result<void> free_staged();
  [[nodiscard]] Picoseconds now() const;

  DeviceRunner& runner_;
  RunRequest request_;
  std::unique_ptr<RunContext> context_;
  TensorAccess access_;
  std::unique_ptr<Orchestrator> orchestrator_;
  std::vector<DeviceAddr> addresses_;
  RunReport report_;
};

}  // namespace svmrt
