// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/graph_output.h"
#include "cli/option_value.h"
#include "cli/run_output.h"
#include "cli/run_scene.h"
#include "cli/scene_device.h"
#include "cli/standard_streams.h"
#include "sim/config/input_files.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kMostRounds = 100'000;  // a report of that many takes some 300 MB

CliResult<BackingKind> backing_option(const std::string& text) {
  if (const auto backing = backing_from_name(text)) return *backing;
  return tl::unexpected(option_error("--backing", text, "plain, mmu"));
}

CliResult<KernelMode> kernels_option(const std::string& text) {
  if (const auto mode = kernel_mode_from_name(text)) return *mode;
  return tl::unexpected(option_error("--kernels", text, std::string(kKernelModeNames)));
}

// A scene with its orchestration, or arguments and an orchestration.
CliResult<void> read_program(const Locations& locations, const RunOptions& options, RunSetup& setup) {
  if (options.scene.has_value() == (options.orchestration || options.arguments)) {
    return tl::unexpected(
        option_error("SCENE", options.scene.value_or(""), "a scene, or --orchestration with --args in its place"));
  }
  if (options.orchestration.has_value() != options.arguments.has_value()) {
    const char* const absent = options.arguments ? "--orchestration" : "--args";
    return tl::unexpected(option_error(absent, "", "--orchestration and --args together"));
  }
  auto scene = options.scene ? find_scene(locations, *options.scene) : find_arguments(*options.arguments);
  if (!scene) return tl::unexpected(scene.error());
  setup.scene = std::move(*scene);
  setup.orchestration_file = options.scene ? orchestration_path(locations, setup.scene) : *options.orchestration;
  note_input_file(setup.orchestration_file);
  return {};
}

// Every option in its place, or the first that is wrong.
CliResult<RunSetup> run_setup(const Locations& locations, const RunOptions& options) {
  RunSetup setup;
  if (auto program = read_program(locations, options, setup); !program) return tl::unexpected(program.error());
  auto platform = find_platform(locations, options.platform);
  if (!platform) return tl::unexpected(platform.error());
  setup.platform = std::move(*platform);
  auto calibration = find_calibration(locations, setup.platform);
  if (!calibration) return tl::unexpected(calibration.error());
  setup.calibration = std::move(*calibration);
  const std::string rounds = options.rounds.value_or(std::to_string(setup.scene.rounds));
  if (auto read = read_run_options(options.policy, rounds, kMostRounds, options.seed, setup); !read) {
    return tl::unexpected(read.error());
  }
  if (options.backing) {
    const auto backing = backing_option(*options.backing);
    if (!backing) return tl::unexpected(backing.error());
    setup.scene.backing = *backing;
  }
  const auto kernels = kernels_option(options.kernels);
  if (!kernels) return tl::unexpected(kernels.error());
  setup.kernels = *kernels;
  if (options.faults) {
    auto faults = find_faults(locations, *options.faults);
    if (!faults) return tl::unexpected(faults.error());
    setup.faults = std::move(*faults);
    setup.faults_source = *options.faults;
  }
  setup.again = options.again;
  return setup;
}

void show_progress(RunSetup& setup) {
  if (isatty(STDERR_FILENO) == 0) return;
  setup.before_round = [rounds = setup.rounds](std::uint64_t round) {
    std::fprintf(stderr, "\rround %" PRIu64 " of %" PRIu64 "%s", round + 1, rounds, round + 1 == rounds ? "\n" : "");
  };
}

}  // namespace

CliResult<CommandOutput> run_command(const Locations& locations, const RunOptions& options, OutputFormat format) {
  auto setup = run_setup(locations, options);
  if (!setup) return tl::unexpected(setup.error());
  const svmrt::LogLevel threshold = options.verbose ? svmrt::LogLevel::kDebug : svmrt::LogLevel::kError;
  setup->log = [threshold](svmrt::LogLevel level, const std::string& message) {
    if (level <= threshold) print_error_line(message);
  };
  std::unique_ptr<TraceWriter> trace;
  if (options.trace) {
    if (auto checked = check_output("--trace", *options.trace, *options.trace); !checked) {
      return tl::unexpected(checked.error());
    }
    auto created = TraceWriter::create(*options.trace);
    if (!created) {
      return tl::unexpected(option_error("--trace", *options.trace, "a file that can be written: " + created.error()));
    }
    trace = std::move(*created);
    setup->trace = trace.get();
  }
  std::optional<GraphOutput> graph;
  if (options.graph) {
    if (auto checked = check_output("--graph", *options.graph, *options.graph); !checked) {
      return tl::unexpected(checked.error());
    }
    auto created = GraphOutput::create(*options.graph);
    if (!created) {
      return tl::unexpected(option_error("--graph", *options.graph,
                                         "a file ending in .json or .dot that can be written: " + created.error()));
    }
    if (trace && trace->path() == created->path()) {
      return tl::unexpected(option_error("--graph", *options.graph, "another file than --trace writes"));
    }
    graph = std::move(*created);
    const auto kernels = kernel_table(setup->scene, setup->platform);
    if (!kernels) return tl::unexpected(kernels.error());
    setup->on_graph = [&graph, &setup, kernels = *kernels](const svmrt::TaskGraph& tasks, svmrt::DeviceAddr origin) {
      graph->write(setup->scene.name, tasks, kernels, origin);
    };
  }
  show_progress(*setup);
  auto result = run_scene(*setup);
  if (!result) return tl::unexpected(result.error());
  if (trace) {
    if (auto finished = trace->finish(); !finished) return tl::unexpected(failure(finished.error()));
  }
  if (graph) {
    if (auto finished = graph->finish(); !finished) return tl::unexpected(failure(finished.error()));
  }
  CommandOutput output;
  output.text = format == OutputFormat::kJson ? document_text(run_json(*setup, *result)) : run_text(*setup, *result);
  output.exit_code = result->fine() ? ExitCode::kFine : ExitCode::kFailed;
  if (result->status != 0 && format == OutputFormat::kJson) {
    print_error_line(result->error);
  }
  if (result->again && result->again->status != 0 && format == OutputFormat::kJson) {
    print_error_line("second attempt: " + result->again->error);
  }
  return output;
}

}  // namespace svmsim
