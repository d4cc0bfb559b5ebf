// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/command_options.h"

namespace svmsim {

namespace {

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

}  // namespace

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

void add_sweep_options(CLI::App& command, SweepOptions& options) {
  command.add_option("--platform", options.platform, "A platform of `svmsim platforms`, or a path")
      ->capture_default_str();
  command.add_option("--sizes", options.sizes, "Bytes, with commas between them")->type_name("A,B,...");
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

void add_replay_options(CLI::App& command, std::string& file) {
  command.footer(kReplayDetails);
  command.add_option("FILE", file, "A scenario, as `svmsim check` writes it")->required();
}

}  // namespace svmsim
