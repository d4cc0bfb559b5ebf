// SPDX-License-Identifier: Apache-2.0
// Runs a scene on a simulated machine, round after round, under the eyes of the oracle, and collects what
// `svmsim run` reports. Thread-bound.
#pragma once

#include "cli/cli_error.h"
#include "cli/run_result.h"
#include "cli/run_setup.h"

namespace svmsim {

// The error is bad input (an orchestration that cannot be loaded or takes other arguments) or a machine that cannot
// be made. A run that fails on the way is a result.
[[nodiscard]] CliResult<RunResult> run_scene(const RunSetup& setup);

}  // namespace svmsim
