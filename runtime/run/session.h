// SPDX-License-Identifier: Apache-2.0
// Rounds of one callable with one set of arguments: what is built once is built once. Child-memory tensors and the
// runtime heap are allocated at set-up and kept across rounds (kIn and kInout uploaded once, so kInout state is
// carried), released in reverse order at tear-down. Restoring staged outputs before a later round is the caller's.
// Thread-bound.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/run/bind.h"

namespace svmrt {

struct SessionConfig {
  std::vector<TensorArgument> tensors;
  std::vector<std::uint64_t> scalars;
  OrchestratorConfig orchestrator;            // without its heap
  Bytes heap_size{std::uint64_t{256} << 20};  // of the runtime heap, which the session allocates
  // Called when a round's run was opened, before bind(); may be empty.
  std::function<void(const BoundRun&)> before_bind;
  // Called when bind() returned, successfully or not, and before anything is executed; may be empty.
  std::function<void(const BoundRun&)> after_bind;
};

struct RoundOutcome {
  RunReport report;
  std::optional<Error> error;  // of the first step that failed; later steps were left out, clean-up was not
};

class Session {
 public:
  // All borrowed for the session's life.
  Session(DeviceRunner& runner, Executor& executor, Callable& callable, SessionConfig config);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // tears down if nobody did

  // Allocates and uploads. On failure everything that was allocated is freed again.
  [[nodiscard]] Result<void> set_up();
  [[nodiscard]] RoundOutcome run_round();
  // Frees in reverse order; goes on after a failure and returns the first one.
  [[nodiscard]] Result<void> tear_down();

  [[nodiscard]] const SessionConfig& config() const { return config_; }
  // Of each tensor; null for staged ones, and before set_up.
  [[nodiscard]] const std::vector<DeviceAddr>& child_memory() const { return child_memory_; }
  // Time that set_up spent on uploads.
  [[nodiscard]] Picoseconds upload_time() const { return upload_time_; }

 private:
  [[nodiscard]] Result<void> place(std::size_t index, RunContext& context);

  DeviceRunner& runner_;
  Executor& executor_;
  Callable& callable_;
  SessionConfig config_;
  std::vector<DeviceAddr> child_memory_;
  std::vector<DeviceAddr> owned_;  // in order of allocation
  Picoseconds upload_time_;
};

}  // namespace svmrt
