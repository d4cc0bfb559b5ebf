// SPDX-License-Identifier: Apache-2.0
// The sessions of a scene over the runtime's ports, whatever stands behind them: a simulated machine or a board.
// Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cli/cli_error.h"
#include "cli/host_tensors.h"
#include "cli/run_result.h"
#include "cli/run_setup.h"
#include "runtime/device_runner.h"
#include "runtime/executor.h"
#include "runtime/orchestration/callable.h"
#include "runtime/run/bind.h"

namespace svmsim {

// What a scene stands on. The functions with a body are told what happens, and do nothing unless somebody listens.
class SceneGround {
 public:
  SceneGround() = default;
  SceneGround(const SceneGround&) = delete;
  SceneGround& operator=(const SceneGround&) = delete;
  virtual ~SceneGround() = default;

  [[nodiscard]] virtual svmrt::Driver& driver() = 0;
  [[nodiscard]] virtual svmrt::Executor& executor() = 0;
  [[nodiscard]] virtual svmrt::Callable& callable() = 0;
  // What device memory holds, in a copy or in place; valid until the next call for the same address.
  [[nodiscard]] virtual std::span<const std::byte> device_bytes(svmrt::DeviceAddr base, svmrt::Bytes size) = 0;
  virtual void declare_device_without_data(svmrt::DeviceAddr base, svmrt::Bytes size) = 0;

  // Whether there is nothing left to run on, so that the runner is told.
  [[nodiscard]] virtual bool device_lost() const { return false; }

  // The child memory of a session, an address per tensor, null for staged ones.
  virtual void session_ready(std::span<const svmrt::DeviceAddr> /*child_memory*/) {}
  virtual void round_begins(std::uint64_t /*round*/) {}
  virtual void before_bind(const svmrt::BoundRun& /*run*/) {}
  virtual void after_bind(const svmrt::BoundRun& /*run*/) {}
  virtual void graph_built(const svmrt::BoundRun& /*run*/) {}  // in the first round of the first session
  virtual void round_ended() {}
  virtual void finalized(const svmrt::DeviceRunner& /*runner*/,
                         const std::vector<svmrt::QuarantinedBlock>& /*quarantined*/) {}
};

// The session that `setup` asks for, or two, and the end of the runner. Sets what the runtime and the outputs say: not
// the counts of driver calls, the trace's digest, fault hits, nor what an oracle found. A run that fails on the way is
// a result; the error is an orchestration that takes other arguments, or a golden that does not fit.
[[nodiscard]] CliResult<RunResult> run_sessions(const RunSetup& setup, HostTensors& tensors, SceneGround& ground);

// The scene's orchestration, loaded.
[[nodiscard]] CliResult<std::unique_ptr<svmrt::Callable>> load_orchestration(const RunSetup& setup);

}  // namespace svmsim
