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

constexpr const char* kRunDetails =
    "Each round binds the scene's arguments, lets its orchestration read what it needs of them and build a task "
    "graph,\n"
    "runs the graph on simulated cores and brings the outputs back. Times are simulated; the same scene, platform,\n"
    "policy and seed give the same output byte for byte.\n"
    "\n"
    "policies:\n"
    "  cached        map a child-memory tensor at its first access, keep the mapping until it is freed\n"
    "  rebuild       map at the first access, unmap at the end of each bind\n"
    "  register-all  map every child-memory tensor at bind, unmap at the end of the bind\n"
    "  copy-only     never map: one device copy per access\n"
    "  budget:BYTES  as cached, but at most BYTES held: the least recently used mapping makes room for a new one, "
    "never\n"
    "                one that an open run uses; what does not fit is served by copies";

constexpr const char* kBuildDetails =
    "The source is C++17 that includes pto_orchestration_api.h and exports aicpu_orchestration_config and\n"
    "aicpu_orchestration_entry. The compiler is $CXX, or c++. Nothing is replaced unless it compiles and exports "
    "both.\n"
    "\n"
    "  svmsim build my_orchestration.cpp\n"
    "  svmsim build --args-template > my_args.toml     # then edit: tensors, scalars, kernels\n"
    "  svmsim run --orchestration my_orchestration.so --args my_args.toml --rounds 5\n"
    "\n"
    "exit codes: 0 built; 1 not; 2 bad input";

constexpr const char* kCalibrateDetails =
    "Fits the parameters of the cost model to measured points: least squares on the relative error, none below zero.\n"
    "Shows each parameter with two standard errors, which of them the points do not determine, and for each point how\n"
    "far the model is from its median, also when it is fitted without that point. The points come from a file\n"
    "(docs/calibration.md has the columns), or are measured on the board behind DIR or the system's loader: mappings "
    "of\n"
    "64 bytes to 1 GiB, copies of 4 bytes to 64 MiB, loads and stores through a view.\n"
    "\n"
    "  svmsim calibrate --save-points mine.csv --output my-board      # measures and fits\n"
    "  svmsim calibrate --points my_points.csv                        # writes nothing\n"
    "  svmsim calibrate --points my_points.csv --base a2a3-cann9 --output my-board\n"
    "  svmsim calibrate --check a2a3-cann9 --points my_points.csv     # fits nothing\n"
    "  svmsim calibrate --check a2a3-cann9                            # how far it is from the board\n"
    "\n"
    "exit codes: 0 fitted or compared; 1 the measurement failed; 2 bad input; 3 no library, or one that finds no "
    "device";

constexpr const char* kCheckDetails =
    "A case is a short life of one device runner: allocations, runs, claims, reads, writes and frees, with driver\n"
    "calls that fail, strangers on the device, lost devices, forks and races. Each step is compared with a reference\n"
    "model (answers, bytes, mappings, statistics, times) while the oracle watches the driver. Case I of seed S is "
    "always\n"
    "the same. The first case that fails is shrunk, written to DIR/failing-S-I.toml and shown with the command that\n"
    "runs it again.\n"
    "\n"
    "Many machines: give machine I of N the option --shard I/N, keep each --json document, and add them up:\n"
    "  svmsim check --cases 1000000 --shard 3/64 --json > shard-3.json\n"
    "  svmsim check --merge shard-*.json\n"
    "\n"
    "exit codes: 0 every case passed; 1 a property failed; 2 bad input";

constexpr const char* kReplayDetails =
    "Shows each operation, its answer, the driver calls that it made with code and cost, and what is mapped after it,\n"
    "and at the end the property that failed, if one did. The scenario runs in a process of its own: one that crashes "
    "is\n"
    "shown up to the crash.\n"
    "\n"
    "exit codes: 0 every property holds; 1 one failed; 2 bad input";

constexpr const char* kConformanceDetails =
    "Asks the driver library libascend_hal.so of DIR, or the one that the system's loader finds, every case of "
    "FIXTURES/conformance,\n"
    "each in a process of its own: a library that crashes or hangs ends one case. Says rule by rule whether the "
    "driver\n"
    "agrees with the rules that the simulator keeps, deviates (what was expected, what was seen), or cannot be asked "
    "and\n"
    "why. The platform says which rules: those of its driver, its pages and its host.\n"
    "\n"
    "  svmsim conformance                                        # a board, by the rules of the a2a3\n"
    "  svmsim conformance --platform a2a3-64k --output my-board.toml\n"
    "  svmsim run vector_example --platform my-board.toml        # as that board answered\n"
    "  svmsim conformance --lib build/sim/dropin                 # the simulator as a library\n"
    "  svmsim conformance --in-process --platform a5             # the simulator itself\n"
    "\n"
    "exit codes: 0 every case that applies agrees; 1 one deviates, or none applies; 2 bad input; 3 no library, or one "
    "that\n"
    "finds no device";

constexpr const char* kRegressDetails =
    "Runs each scene on the libraries libascendcl.so and libascend_hal.so of DIR, or those that the system's loader "
    "finds,\n"
    "in a process of its own: the same runtime, orchestration and data as `svmsim run`, with tasks on the host. The\n"
    "bytes and the counts of maps, unmaps, refusals and device copies must be those of the simulation; the time of "
    "each\n"
    "phase is shown as a multiple of the simulated one, and is held against a baseline if there is one.\n"
    "\n"
    "  svmsim regress                                             # every scene, as an a2a3\n"
    "  svmsim regress --platform my-board.toml vector_example\n"
    "  svmsim regress --baseline my-board.json --update           # keeps what was seen; never a pass\n"
    "  svmsim regress --baseline my-board.json --tolerance 40\n"
    "  svmsim regress --lib build/sim/dropin                      # the simulator as a library\n"
    "\n"
    "exit codes: 0 all as simulated and as the baseline has it; 1 not, or a baseline was written; 2 bad input;\n"
    "3 no library, or one that finds no device";

constexpr const char* kProbeDetails =
    "Finds page sizes, support_bar_mem and support_bar_huge_mem (by halMemCtl, else the driver's log, else by "
    "registering),\n"
    "write-combining, the driver and its version; says how each was found, and which platform of FIXTURES/platforms "
    "answers\n"
    "the same questions alike. Each question is asked in a process of its own: what the library dies of is not found.\n"
    "\n"
    "  svmsim probe                                              # the board of this machine\n"
    "  svmsim probe --output my-board.toml                       # a platform file that fits, for --platform\n"
    "  dmesg > log.txt && svmsim probe --driver-log log.txt      # for a library without halMemCtl\n"
    "  svmsim probe --lib build/sim/dropin --platform a2a3-64k   # the simulator as a library\n"
    "\n"
    "exit codes: 0 a platform fits; 1 none does; 2 bad input; 3 no library, or one that finds no device";

void add_run_options(CLI::App& command, RunOptions& options) {
  command.footer(kRunDetails);
  command.add_option("SCENE", options.scene, "A scene of `svmsim scenes`, or the path of a scene file");
  command
      .add_option("--orchestration", options.orchestration,
                  "Instead of a scene: a shared object, as `svmsim build` makes it, ...")
      ->type_name("FILE.so");
  command.add_option("--args", options.arguments, "... and its arguments; `svmsim build --args-template` prints some")
      ->type_name("FILE.toml");
  command.add_option("--platform", options.platform, "A platform of `svmsim platforms`, or a path")
      ->capture_default_str();
  command.add_option("--policy", options.policy, "cached, rebuild, register-all, copy-only or budget:BYTES")
      ->capture_default_str();
  command.add_option("--rounds", options.rounds, "How often to bind and run (1 unless the scene says otherwise)")
      ->type_name("N");
  command.add_option("--seed", options.seed, "What random data is made from")->type_name("S")->capture_default_str();
  command
      .add_option("--backing", options.backing,
                  "How device memory is kept: plain (bookkeeping), mmu (a forbidden touch faults)")
      ->type_name("KIND");
  command
      .add_option("--kernels", options.kernels,
                  "What tasks do to their outputs: real (compute, and compare with the scene's golden), digest (bytes "
                  "made of everything that they read), none")
      ->type_name("MODE")
      ->capture_default_str();
  command
      .add_option("--faults", options.faults,
                  "Make driver calls fail: a plan of fixtures/faults/, or the path of a plan")
      ->type_name("PLAN");
  command.add_flag("--again", options.again,
                   "Run the scene a second time on the same runner, however the first time ended");
  command
      .add_option("--trace", options.trace,
                  "Write every driver call and what ran on which core to FILE: .jsonl, or .json for Perfetto")
      ->type_name("FILE");
  command.add_option("--graph", options.graph, "Write the task graph to FILE: .json, or .dot for Graphviz")
      ->type_name("FILE");
  command.add_flag("--verbose", options.verbose, "Show the runtime's log on stderr");
}

void add_build_options(CLI::App& command, BuildOptions& options) {
  command.footer(kBuildDetails);
  CLI::Option* const source = command.add_option("SOURCE", options.source, "The orchestration's C++ source");
  command.add_option("-o,--output", options.output, "The shared object (SOURCE's name with .so, in this folder)")
      ->type_name("FILE.so");
  command.add_option("-I,--include", options.include, "A further folder of headers; may stand several times")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--args-template", options.args_template, "Print arguments to fill in, and build nothing")
      ->excludes(source);
}

void add_calibrate_options(CLI::App& command, CalibrateOptions& options) {
  command.footer(kCalibrateDetails);
  CLI::Option* const points =
      command.add_option("--points", options.points, "Measured points, instead of measuring")->type_name("FILE.csv");
  CLI::Option* const output =
      command
          .add_option("-o,--output", options.output,
                      "Write the calibration: a name in the folder calibrations/ of --fixtures, or the path of a .toml "
                      "file")
          ->type_name("NAME");
  CLI::Option* const base =
      command.add_option("--base", options.base, "Take what the points do not determine from this calibration")
          ->type_name("CALIBRATION");
  command
      .add_option("--check", options.check,
                  "Instead of a fit: how far this calibration, by name or path, is from the points")
      ->type_name("CALIBRATION")
      ->excludes(output)
      ->excludes(base);
  command
      .add_option("--lib", options.lib,
                  "Folder of libascend_hal.so and libascendcl.so to measure (where the system's loader looks)")
      ->type_name("DIR")
      ->excludes(points);
  command
      .add_option("--platform", options.platform,
                  "What the board is, its driver, pages and host: a platform of `svmsim platforms`, or a path")
      ->capture_default_str()
      ->excludes(points);
  command.add_option("--iterations", options.iterations, "How often each call is timed")
      ->type_name("N")
      ->capture_default_str()
      ->excludes(points);
  command.add_option("--save-points", options.save_points, "Write what was measured, as --points takes it")
      ->type_name("FILE.csv")
      ->excludes(points);
}

void add_check_options(CLI::App& command, CheckOptions& options) {
  command.footer(kCheckDetails);
  std::vector<CLI::Option*> of_a_campaign;
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    CLI::Option* const option = command.add_option(name, value, text)->type_name(type);
    of_a_campaign.push_back(option);
    return option;
  };
  add("--cases", options.cases, "N", "How many cases to draw")->capture_default_str();
  add("--seed", options.seed, "S", "What the cases are drawn from")->capture_default_str();
  add("--first", options.first, "I", "The first case's number")->capture_default_str();
  add("--shard", options.shard, "I/N", "Judge only the cases whose number has the remainder I by N")
      ->capture_default_str();
  add("--time", options.time, "SECONDS", "Begin no further case after so many seconds");
  add("--platform", options.platform, "P", "A platform for every case, instead of a drawn one");
  add("--policy", options.policy, "NAME", "A policy for every case, instead of a drawn one");
  add("--save", options.save, "DIR", "Folder for the scenario of a failure")->capture_default_str();
  CLI::Option* const merge =
      command.add_option("--merge", options.merge, "Add up the --json documents of shards, and run nothing")
          ->type_name("FILE");
  for (CLI::Option* const option : of_a_campaign) merge->excludes(option);
}

void add_regress_options(CLI::App& command, RegressOptions& options) {
  command.footer(kRegressDetails);
  command.add_option("SCENE", options.scenes,
                     "Scenes of `svmsim scenes`, or paths of scene files (all that there are)");
  command.add_option("--lib", options.lib, "The folder of the libraries (where the system's loader looks)")
      ->type_name("DIR");
  command.add_option("--platform", options.platform, "The platform that is simulated for comparison, by name or path")
      ->capture_default_str();
  command.add_option("--policy", options.policy, "cached, rebuild, register-all, copy-only or budget:BYTES")
      ->capture_default_str();
  command.add_option("--rounds", options.rounds, "How often each scene is bound and run, 1 to 100")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "What random data is made from")->type_name("S")->capture_default_str();
  command.add_option("--baseline", options.baseline, "Compare with what an earlier run wrote to FILE")
      ->type_name("FILE.json");
  command.add_flag("--update", options.update, "Write the baseline instead of comparing with it");
  command
      .add_option("--tolerance", options.tolerance, "How much longer than in the baseline a phase may take, in percent")
      ->type_name("PERCENT")
      ->capture_default_str();
  command.add_option("--timeout", options.timeout, "How long a scene may take on the board")
      ->type_name("SECONDS")
      ->capture_default_str();
}

void add_conformance_options(CLI::App& command, ConformanceOptions& options) {
  command.footer(kConformanceDetails);
  CLI::Option* const lib =
      command.add_option("--lib", options.lib, "Folder of libascend_hal.so (where the system's loader looks)")
          ->type_name("DIR");
  command.add_option("--platform", options.platform, "Whose rules: a platform of `svmsim platforms`, or a path")
      ->capture_default_str();
  command
      .add_option("--output", options.output,
                  "Write a platform that extends the platform and answers as was seen: a name in the folder platforms/ "
                  "of --fixtures, or the path of a .toml file")
      ->type_name("NAME");
  command.add_option("--timeout", options.timeout, "How long a call may take before its case is given up")
      ->type_name("SECONDS")
      ->capture_default_str();
  command.add_flag("--in-process", options.in_process, "Ask the simulated driver of the platform, without a library")
      ->excludes(lib);
}

void add_probe_options(CLI::App& command, ProbeOptions& options) {
  command.footer(kProbeDetails);
  command.add_option("--lib", options.lib, "Folder of libascend_hal.so (where the system's loader looks)")
      ->type_name("DIR");
  command
      .add_option("--platform", options.platform,
                  "What a simulated board is; of several platforms that fit, the one to write about")
      ->capture_default_str();
  command.add_option("--driver-log", options.log, "The driver's log, where it says support_bar_mem")->type_name("FILE");
  command
      .add_option("--output", options.output,
                  "Write a platform file that fits, or comes nearest: a name in the folder platforms/ "
                  "of --fixtures, or the path of a .toml file")
      ->type_name("NAME");
  command.add_option("--timeout", options.timeout, "How long a call may take before its question is given up")
      ->type_name("SECONDS")
      ->capture_default_str();
}

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
  sweep_app->add_option("--platform", sweep_options.platform, "A platform of `svmsim platforms`, or a path")
      ->capture_default_str();
  sweep_app->add_option("--sizes", sweep_options.sizes, "Bytes, with commas between them")->type_name("A,B,...");
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
  replay_app->footer(kReplayDetails);
  replay_app->add_option("FILE", replay_file, "A scenario, as `svmsim check` writes it")->required();
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
  const bool json_asked =
      std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json" || word == "--json=true"; });
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
