// SPDX-License-Identifier: Apache-2.0
// Runs a scene on the libraries of a board, in this process: the same runtime, orchestration and bytes as on the
// simulated machine, and tasks that the host carries out, as `svmsim run --kernels digest`. Thread-bound.
#pragma once

#include <string>
#include <vector>

#include "cli/board_libraries.h"
#include "cli/cli_error.h"
#include "cli/regress/observation.h"
#include "cli/run_setup.h"

namespace svmsim {

struct BoardReport {
  std::string absent;  // why there is no board to run on; then nothing else is said
  std::string unfit;   // why the scene cannot be run at all; then nothing else is said
  Observation seen;
  bool simulated_clock = false;  // the times are a simulated driver's
  bool device_lost = false;
  std::vector<std::string> violations;  // "round 1: …": rounds that differ, or a golden that is missed
  std::vector<std::string> log;         // warnings and errors of runtime and adapter; the first 20 of them

  bool operator==(const BoardReport&) const = default;
};

// The platform says how many cores the orchestration is told of and whether the runner has a host-map path.
[[nodiscard]] BoardReport run_on_board(RunSetup setup, const BoardLibraries& libraries);

// Between processes. A text that was cut off is no report.
[[nodiscard]] std::string board_report_text(const BoardReport& report);
[[nodiscard]] CliResult<BoardReport> read_board_report(const std::string& text);

}  // namespace svmsim
