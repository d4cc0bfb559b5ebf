// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/command_options.h"

namespace svmsim {

namespace {

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
    "exit codes: 0 fitted or compared; 1 the measurement failed, or its process did not end well; 2 bad input;\n"
    "3 no library, or one that finds no device";

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

}  // namespace

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
  command.add_option("--timeout", options.timeout, "How long the measurement may take")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->excludes(points);
  command.add_option("--save-points", options.save_points, "Write what was measured, as --points takes it")
      ->type_name("FILE.csv")
      ->excludes(points);
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
  CLI::Option* const baseline =
      command.add_option("--baseline", options.baseline, "Compare with what an earlier run wrote to FILE")
          ->type_name("FILE.json");
  command.add_flag("--update", options.update, "Write the baseline instead of comparing with it")->needs(baseline);
  command
      .add_option("--tolerance", options.tolerance, "How much longer than in the baseline a phase may take, in percent")
      ->type_name("PERCENT")
      ->capture_default_str();
  command.add_option("--timeout", options.timeout, "How long a scene may take on the board")
      ->type_name("SECONDS")
      ->capture_default_str();
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

}  // namespace svmsim
