// SPDX-License-Identifier: Apache-2.0
// Runs a scene on the libraries of a board, in this process: the same runtime, orchestration and bytes as on the
// simulated machine, and tasks that the host carries out, as `svmsim run --kernels digest`. Thread-bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/board_process.h"
#include "cli/cli_error.h"
#include "cli/regress/observation.h"
#include "cli/run_setup.h"
#include "sim/output/json_document.h"

namespace svmsim {

inline constexpr std::uint64_t kMostRegressRounds = 100;

struct BoardReport {
  Observation seen;
  bool simulated_clock = false;  // the times are a simulated driver's
  bool device_lost = false;
  std::vector<std::string> violations;  // "round 1: …": rounds that differ, or a golden that is missed
  std::vector<std::string> log;         // warnings and errors of runtime and adapter; the first 20 of them

  bool operator==(const BoardReport&) const = default;
};

// The run that a request of BoardWork::kScene asks for. Its platform says how many cores the orchestration is told of
// and whether the runner has a host-map path. The error is one of the options or files that the request names.
[[nodiscard]] CliResult<RunSetup> scene_setup(const BoardRequest& request);

// Exit code 3: there is no board; 2: as of scene_setup(); 1: the scene cannot be run at all.
[[nodiscard]] CliResult<BoardReport> run_on_board(const BoardRequest& request);

// Between processes.
[[nodiscard]] Json board_report_json(const BoardReport& report);
[[nodiscard]] CliResult<BoardReport> read_board_report(const Json& json);

}  // namespace svmsim
