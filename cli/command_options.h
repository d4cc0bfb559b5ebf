// SPDX-License-Identifier: Apache-2.0
// The options of each command, as the parser takes them, with what --help says. The options are borrowed until the
// parser is done. Thread-compatible.
#pragma once

#include <string>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace svmsim {

void add_run_options(CLI::App& command, RunOptions& options);
void add_build_options(CLI::App& command, BuildOptions& options);
void add_sweep_options(CLI::App& command, SweepOptions& options);
void add_check_options(CLI::App& command, CheckOptions& options);
void add_replay_options(CLI::App& command, std::string& file);

// Of commands that ask a board.
void add_calibrate_options(CLI::App& command, CalibrateOptions& options);
void add_conformance_options(CLI::App& command, ConformanceOptions& options);
void add_regress_options(CLI::App& command, RegressOptions& options);
void add_probe_options(CLI::App& command, ProbeOptions& options);

}  // namespace svmsim
