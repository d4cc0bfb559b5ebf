// SPDX-License-Identifier: Apache-2.0
// The commands of `svmsim`, each a function from its options to what it prints. Options arrive as text and are
// checked here, so that every mistake is reported in one way. Thread-bound.
#pragma once

#include <optional>
#include <string>

#include "cli/cli_error.h"
#include "cli/locations.h"

namespace svmsim {

enum class OutputFormat { kTable, kJson };

struct CommandOutput {
  std::string text;  // for stdout
  ExitCode exit_code = ExitCode::kFine;
};

struct RunOptions {
  std::string scene;
  std::string platform = "a2a3";
  std::string policy = "cached";
  std::optional<std::string> rounds;  // absent: what the scene says
  std::string seed = "1";
  std::optional<std::string> backing;  // absent: what the scene says
  std::optional<std::string> faults;   // a fault plan
  bool again = false;
  std::optional<std::string> trace;  // a file to write
  bool verbose = false;
};
[[nodiscard]] CliResult<CommandOutput> run_command(const Locations& locations, const RunOptions& options,
                                                   OutputFormat format);

struct SweepOptions {
  std::string platform = "a2a3";
  std::optional<std::string> sizes;  // comma-separated bytes; absent: 64 B to 1 GiB
};
[[nodiscard]] CliResult<CommandOutput> sweep_command(const Locations& locations, const SweepOptions& options,
                                                     OutputFormat format);

[[nodiscard]] CliResult<CommandOutput> scenes_command(const Locations& locations, OutputFormat format);
[[nodiscard]] CliResult<CommandOutput> platforms_command(const Locations& locations, OutputFormat format);

}  // namespace svmsim
