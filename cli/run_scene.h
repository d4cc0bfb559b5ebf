// SPDX-License-Identifier: Apache-2.0
// Runs a scene on a simulated machine, round after round, under the eyes of the oracle, and collects what
// `svmsim run` reports. Thread-bound.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli_error.h"
#include "cli/scene/scene.h"
#include "cli/session_outputs.h"
#include "runtime/device_runner.h"
#include "runtime/orchestration/task_graph.h"
#include "runtime/policy.h"
#include "runtime/run/run_report.h"
#include "sim/cost/calibration.h"
#include "sim/device/kernel_mode.h"
#include "sim/faults/fault_plan.h"
#include "sim/machine/machine.h"
#include "sim/machine/trace_writer.h"
#include "sim/oracle/violation.h"
#include "sim/platform.h"

namespace svmsim {

struct RunSetup {
  Scene scene;
  Platform platform;
  Calibration calibration;
  std::string orchestration_file;
  svmrt::Policy policy = svmrt::Policy::kCached;
  std::uint64_t rounds = 1;
  std::uint64_t seed = 1;
  KernelMode kernels = KernelMode::kDigest;
  std::optional<FaultPlan> faults;
  std::string faults_source;  // how the plan was asked for, a name or a path; for reports
  // A second attempt follows on the same runner, in a session of its own, however the first one ended.
  bool again = false;
  svmrt::LogSink log;                               // may be empty
  TraceWriter* trace = nullptr;                     // may be null; borrowed for the run
  CallObserver* observer = nullptr;                 // of every call of the machine; may be null; borrowed for the run
  std::function<void(std::uint64_t)> before_round;  // for progress; may be empty
  // Told the graph of the first round, and the machine's first device address; may be empty.
  std::function<void(const svmrt::TaskGraph&, svmrt::DeviceAddr)> on_graph;
};

struct RunTotals {
  std::uint64_t map_calls = 0;    // registers that succeeded
  std::uint64_t map_refused = 0;  // registers that failed, with any code
  std::uint64_t unmap_calls = 0;  // unregisters that succeeded
  std::uint64_t free_calls = 0;   // frees that succeeded
  svmrt::Picoseconds map_time, unmap_time, copy_time, upload_time;
  std::uint64_t device_copies = 0;
  std::uint64_t accesses = 0;
};

// What came of one session: set-up, rounds, tear-down.
struct Attempt {
  std::int32_t status = 0;           // 0; minus the orchestration's fatal code; the driver's code; or -1
  std::int32_t orch_error_code = 0;  // of the fatal, 0 without one
  std::string error;                 // "run failed with code …: …" of the first failure; empty when status is 0
  std::uint64_t result_digest = 0;   // 0 when a round failed
  std::uint64_t outputs_digest = 0;  // of the outputs alone; 0 when a round failed
  std::vector<svmrt::RunReport> rounds;
};

// The first attempt's, and what concerns the whole run.
struct RunResult : Attempt {
  std::optional<Attempt> again;
  std::uint64_t trace_digest = 0;
  RunTotals totals;
  FaultHits fault_hits;
  std::vector<svmrt::QuarantinedBlock> quarantined;
  std::optional<GoldenReport> golden;  // with real kernels and a scene that has one
  std::vector<Violation> violations;

  [[nodiscard]] bool fine() const { return status == 0 && violations.empty() && (!again || again->status == 0); }
};

// The error is bad input (an orchestration that cannot be loaded or takes other arguments) or a machine that cannot
// be made. A run that fails on the way is a result.
[[nodiscard]] CliResult<RunResult> run_scene(const RunSetup& setup);

}  // namespace svmsim
