// SPDX-License-Identifier: Apache-2.0
// The commands of `svmsim`, each a function from its options to what it prints. Options arrive as text and are
// checked here, so that every mistake is reported in one way. Thread-bound.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli_error.h"
#include "cli/locations.h"
#include "property_tests/campaign.h"
#include "property_tests/harness.h"

namespace svmsim {

enum class OutputFormat { kTable, kJson };

struct CommandOutput {
  std::string text;  // for stdout
  ExitCode exit_code = ExitCode::kFine;
};

struct RunOptions {
  std::optional<std::string> scene;          // this, or the next two
  std::optional<std::string> orchestration;  // a shared object
  std::optional<std::string> arguments;      // a file of arguments for it
  std::string platform = "a2a3";
  std::string policy = "cached";
  std::optional<std::string> rounds;  // absent: what the scene says
  std::string seed = "1";
  std::optional<std::string> backing;  // absent: what the scene says
  std::optional<std::string> faults;   // a fault plan
  std::string kernels = "digest";
  bool again = false;
  std::optional<std::string> trace;  // a file to write
  std::optional<std::string> graph;  // another
  bool verbose = false;
};
[[nodiscard]] CliResult<CommandOutput> run_command(const Locations& locations, const RunOptions& options,
                                                   OutputFormat format);

struct BuildOptions {
  std::string source;
  std::optional<std::string> output;  // absent: the source's name with .so, in the current folder
  std::vector<std::string> include;   // further folders of headers
  bool args_template = false;         // print arguments to fill in, and build nothing
};
[[nodiscard]] CliResult<CommandOutput> build_command(const BuildOptions& options, OutputFormat format);

struct SweepOptions {
  std::string platform = "a2a3";
  std::optional<std::string> sizes;  // comma-separated bytes; absent: 64 B to 1 GiB
};
[[nodiscard]] CliResult<CommandOutput> sweep_command(const Locations& locations, const SweepOptions& options,
                                                     OutputFormat format);

struct CalibrateOptions {
  std::optional<std::string> points;  // a CSV file; absent: measured on a board
  std::optional<std::string> output;  // a calibration to write; absent: none
  std::optional<std::string> check;   // a calibration to compare with the points, instead of fitting one
  std::optional<std::string> base;    // a calibration for what the points leave open
  // Of a measurement.
  std::optional<std::string> lib;          // folder of the board's libraries; absent: where the loader looks
  std::string platform = "a2a3";           // what the board is
  std::string iterations = "300";          // of each size
  std::string timeout = "3600";            // seconds that it may take
  std::optional<std::string> save_points;  // a CSV file to write
};
[[nodiscard]] CliResult<CommandOutput> calibrate_command(const Locations& locations, const CalibrateOptions& options,
                                                         OutputFormat format);

struct CheckOptions {
  std::string seed = "1";
  std::string first = "0";
  std::string cases = "2000";
  std::string shard = "0/1";            // I/N: the cases of which the remainder by N is I
  std::optional<std::string> time;      // seconds after which no further case is begun
  std::optional<std::string> platform;  // absent: drawn per case
  std::optional<std::string> policy;    // absent: drawn per case
  std::string save = ".";               // the folder that a failing scenario is written to
  std::vector<std::string> merge;       // documents of shards to add up, instead of running anything
};
// `judge` says what comes of a scenario; empty: run_scenario.
[[nodiscard]] CliResult<CommandOutput> check_command(const Locations& locations, const CheckOptions& options,
                                                     OutputFormat format, const Judge& judge = {});
// `file` is a scenario file. `player` runs it and reports each step; empty: run_scenario.
using Player = std::function<ScenarioResult(const Scenario&, const std::function<void(const StepReport&)>&)>;
[[nodiscard]] CliResult<CommandOutput> replay_command(const Locations& locations, const std::string& file,
                                                      OutputFormat format, const Player& player = {});

struct ConformanceOptions {
  std::string platform = "a2a3";      // which rules hold
  std::optional<std::string> lib;     // folder of the library; absent: where the loader looks
  bool in_process = false;            // ask the simulated driver instead of a library
  std::optional<std::string> output;  // the platform file to write
  std::string timeout = "120";        // seconds that a call may take
};
[[nodiscard]] CliResult<CommandOutput> conformance_command(const Locations& locations,
                                                           const ConformanceOptions& options, OutputFormat format);

struct RegressOptions {
  std::vector<std::string> scenes;  // empty: all
  std::optional<std::string> lib;   // folder of the libraries; absent: where the loader looks
  std::string platform = "a2a3";    // what the board is compared with
  std::string policy = "cached";
  std::string rounds = "3";
  std::string seed = "1";
  std::optional<std::string> baseline;  // a file to compare with, ...
  bool update = false;                  // ... or to write
  std::string tolerance = "25";         // percent that a phase may take longer than in the baseline
  std::string timeout = "600";          // seconds that a scene may take on the board
};
[[nodiscard]] CliResult<CommandOutput> regress_command(const Locations& locations, const RegressOptions& options,
                                                       OutputFormat format);

struct ProbeOptions {
  std::string platform = "a2a3";      // what a simulated board is, and the first of several that fit
  std::optional<std::string> lib;     // folder of the library; absent: where the loader looks
  std::optional<std::string> log;     // a file with the driver's log
  std::optional<std::string> output;  // the platform file to write
  std::string timeout = "120";        // seconds that a call may take
};
[[nodiscard]] CliResult<CommandOutput> probe_command(const Locations& locations, const ProbeOptions& options,
                                                     OutputFormat format);

[[nodiscard]] CliResult<CommandOutput> scenes_command(const Locations& locations, OutputFormat format);
[[nodiscard]] CliResult<CommandOutput> platforms_command(const Locations& locations, OutputFormat format);

}  // namespace svmsim
