// SPDX-License-Identifier: Apache-2.0
// What came of running a scene. Value types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session_outputs.h"
#include "runtime/driver_code.h"
#include "runtime/run/run_report.h"
#include "runtime/runner_reports.h"
#include "sim/call_kind.h"
#include "sim/machine/machine.h"
#include "sim/oracle/violation.h"

namespace svmsim {

// Of what reached the driver.
struct CallCounts {
  std::uint64_t map_calls = 0;    // registers that succeeded
  std::uint64_t map_refused = 0;  // registers that failed, with any code
  std::uint64_t unmap_calls = 0;  // unregisters that succeeded
  std::uint64_t free_calls = 0;   // frees that succeeded

  void count(CallKind kind, svmrt::DriverCode code) {
    const bool succeeded = code == svmrt::DriverCode::kNone;
    if (kind == CallKind::kRegister) ++(succeeded ? map_calls : map_refused);
    if (kind == CallKind::kUnregister && succeeded) ++unmap_calls;
    if (kind == CallKind::kFree && succeeded) ++free_calls;
  }
};

struct RunTotals : CallCounts {
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

}  // namespace svmsim
