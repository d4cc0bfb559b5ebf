// SPDX-License-Identifier: Apache-2.0
// What is to be run: a scene, on what, how often. Value type, but for what it borrows; thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/cli_error.h"
#include "cli/scene/scene.h"
#include "runtime/orchestration/task_graph.h"
#include "runtime/policy.h"
#include "runtime/runner_reports.h"
#include "sim/cost/calibration.h"
#include "sim/device/kernel_mode.h"
#include "sim/faults/fault_plan.h"
#include "sim/machine/machine.h"
#include "sim/machine/trace_writer.h"
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

// --policy, --rounds (1 to `most_rounds`) and --seed, each in its place, or the first that is wrong.
[[nodiscard]] CliResult<void> read_run_options(const std::string& policy, const std::string& rounds,
                                               std::uint64_t most_rounds, const std::string& seed, RunSetup& setup);

}  // namespace svmsim
