// SPDX-License-Identifier: Apache-2.0
// The `svmsim` command: parses the command line, runs one command, prints what it says, ends with its exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_options.h"
#include "cli/commands.h"
#include "cli/standard_streams.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

constexpr const char* kDescription =
    "svmsim runs a host runtime for Ascend-class NPUs on a simulated machine and shows which tensors it maps into the\n"
    "host, what that costs, and whether it kept its promises.";

constexpr const char* kExamples =
    "examples:\n"
    "  svmsim run paged_attention_small1_child_memory --rounds 5\n"
    "  svmsim run paged_attention_case1_child_memory --platform a2a3-64k --policy cached\n"
    "  svmsim run shape_slot_child_memory --faults unregister-fails-once --again\n"
    "  svmsim run my_scene.toml --json > result.json\n"
    "  svmsim build my_orchestration.cpp\n"
    "  svmsim run --orchestration ./my_orchestration.so --args my_args.toml --kernels real --graph tasks.dot\n"
    "  svmsim sweep --platform a2a3 --sizes 4096,4194304\n"
    "  svmsim calibrate --save-points my_points.csv --output my-board\n"
    "  svmsim calibrate --points my_points.csv --base a2a3-cann9 --output my-board\n"
    "  svmsim calibrate --check a2a3-cann9 --points my_points.csv\n"
    "  svmsim check --cases 5000 --seed 7\n"
    "  svmsim replay failing-7-1234.toml\n"
    "  svmsim probe --lib /usr/local/Ascend/driver/lib64 --output my-board.toml\n"
    "  svmsim conformance --lib /usr/local/Ascend/driver/lib64 --output my-board.toml\n"
    "\n"
    "exit codes: 0 fine; 1 a rule or a property was broken or the run failed; 2 bad input; 3 a board is needed";

// An error of the option parser, which knows neither key nor value apart.
CliError parse_error(const CLI::Error& error) {
  const std::string message = error.what();
  return {ExitCode::kBadInput, "", "", "", "see svmsim --help", message};
}

int end_with(const StandardStreams& streams, const CliError& error, OutputFormat format) {
  // Under --json the document says it all, unless there is nobody to read it.
  if (format == OutputFormat::kTable || !streams.write_result(document_text(error_document(error)))) {
    print_error_line(error.message);
  }
  return static_cast<int>(error.exit_code);
}

int run(const StandardStreams& streams, int argc, char** argv) {
  CLI::App app(kDescription, "svmsim");
  app.footer(kExamples);
  app.require_subcommand(1);
  Locations locations = default_locations();
  app.add_option("--fixtures", locations.fixtures,
                 "Folder with scenes/, platforms/, calibrations/, faults/ and conformance/")
      ->type_name("DIR");
  app.add_option("--orchestrations", locations.orchestrations, "Folder with the orchestrations' shared objects")
      ->type_name("DIR");
  app.fallthrough();  // the two above may also stand behind the command

  bool json = false;
  const auto add_json = [&](CLI::App* command) {
    command->add_flag("--json", json, "Print one JSON document on stdout and nothing else");
  };

  RunOptions run_options;
  CLI::App* const run_app = app.add_subcommand("run", "Run a scene on a simulated machine");
  add_run_options(*run_app, run_options);
  add_json(run_app);

  BuildOptions build_options;
  CLI::App* const build_app = app.add_subcommand("build", "Compile an orchestration to a shared object");
  add_build_options(*build_app, build_options);
  add_json(build_app);

  SweepOptions sweep_options;
  CLI::App* const sweep_app = app.add_subcommand("sweep", "What mapping and copying cost by size");
  add_sweep_options(*sweep_app, sweep_options);
  add_json(sweep_app);

  CalibrateOptions calibrate_options;
  CLI::App* const calibrate_app = app.add_subcommand("calibrate", "Measure a driver's calls and fit their prices");
  add_calibrate_options(*calibrate_app, calibrate_options);
  add_json(calibrate_app);

  CheckOptions check_options;
  CLI::App* const check_app = app.add_subcommand("check", "Draw many scenarios and check every property in each");
  add_check_options(*check_app, check_options);
  add_json(check_app);

  std::string replay_file;
  CLI::App* const replay_app = app.add_subcommand("replay", "Run one scenario file step by step");
  add_replay_options(*replay_app, replay_file);
  add_json(replay_app);

  ProbeOptions probe_options;
  CLI::App* const probe_app = app.add_subcommand("probe", "Find out what a board is, and which platform it is like");
  add_probe_options(*probe_app, probe_options);
  add_json(probe_app);

  ConformanceOptions conformance_options;
  CLI::App* const conformance_app =
      app.add_subcommand("conformance", "Hold a driver library against the driver's rules");
  add_conformance_options(*conformance_app, conformance_options);
  add_json(conformance_app);

  RegressOptions regress_options;
  CLI::App* const regress_app = app.add_subcommand("regress", "Run the scenes on a board and compare with simulation");
  add_regress_options(*regress_app, regress_options);
  add_json(regress_app);

  CLI::App* const scenes_app = app.add_subcommand("scenes", "List the scenes");
  add_json(scenes_app);
  CLI::App* const platforms_app = app.add_subcommand("platforms", "List the platforms");
  add_json(platforms_app);

  // The parser may fail before it sees --json.
  const bool json_asked = std::any_of(argv, argv + argc, [](std::string_view word) {
    return word == "--json" || (word.starts_with("--json=") && word != "--json=false");
  });
  OutputFormat format = json_asked ? OutputFormat::kJson : OutputFormat::kTable;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help
    std::ostringstream help;
    app.exit(success, help, help);
    return streams.write_result(help.str()) ? 0 : static_cast<int>(ExitCode::kFailed);
  } catch (const CLI::Error& error) {
    return end_with(streams, parse_error(error), format);
  }
  format = json ? OutputFormat::kJson : OutputFormat::kTable;

  CliResult<CommandOutput> output;
  try {
    if (run_app->parsed()) output = run_command(locations, run_options, format);
    if (build_app->parsed()) output = build_command(build_options, format);
    if (sweep_app->parsed()) output = sweep_command(locations, sweep_options, format);
    if (calibrate_app->parsed()) output = calibrate_command(locations, calibrate_options, format);
    if (check_app->parsed()) output = check_command(locations, check_options, format);
    if (replay_app->parsed()) output = replay_command(locations, replay_file, format);
    if (probe_app->parsed()) output = probe_command(locations, probe_options, format);
    if (conformance_app->parsed()) output = conformance_command(locations, conformance_options, format);
    if (regress_app->parsed()) output = regress_command(locations, regress_options, format);
    if (scenes_app->parsed()) output = scenes_command(locations, format);
    if (platforms_app->parsed()) output = platforms_command(locations, format);
  } catch (const std::filesystem::filesystem_error& error) {  // there is no current directory, for one
    output = tl::unexpected(CliError{ExitCode::kBadInput, error.path1().string(), "", "", "", error.what()});
  }
  if (!output) return end_with(streams, output.error(), format);
  if (!streams.write_result(output->text)) {
    return end_with(streams, failure("cannot write to stdout"), OutputFormat::kTable);
  }
  return static_cast<int>(output->exit_code);
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  const svmsim::StandardStreams streams;
  std::signal(SIGCHLD, SIG_DFL);  // whoever started this may ignore it, and commands want to know how children ended
  try {
    return svmsim::run(streams, argc, argv);
  } catch (const std::exception& error) {  // memory that is not there, for one
    svmsim::print_error_line(error.what());
    return static_cast<int>(svmsim::ExitCode::kFailed);
  }
}
