// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/commands.h"
#include "cli/conformance_output.h"
#include "cli/interruption.h"
#include "cli/option_value.h"
#include "sim/config/fixture_file.h"
#include "sim/conformance/library_port.h"
#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kLongestTimeout = 3600;

// Where boards have their device memory (P1), and the simulator too but in sanitizer builds.
AddressLayout address_layout() { return {slice_layout().first_slice(), slice_layout().slice}; }

CliResult<std::vector<ConformanceScript>> find_scripts(const Locations& locations) {
  const auto names = fixture_names(locations, "conformance");
  if (!names) return tl::unexpected(names.error());
  std::vector<ConformanceScript> scripts;
  scripts.reserve(names->size());
  for (const std::string& name : *names) {
    auto script = load_conformance_script(fixture_file(locations.fixtures, "conformance", name));
    if (!script) return tl::unexpected(cli_error(script.error()));
    scripts.push_back(std::move(*script));
  }
  return scripts;
}

CliResult<ConformanceReport> ask_library(const BoardLibraries& libraries, std::chrono::seconds guard,
                                         const HalSurroundings& surroundings,
                                         const std::vector<ConformanceScript>& scripts, ConformanceSubject& subject) {
  const auto port = open_library_port(libraries, guard, surroundings);
  if (!port) return tl::unexpected(port.error());
  subject.library = (*port)->library_path();
  return run_scripts(scripts, **port);
}

}  // namespace

CliResult<CommandOutput> conformance_command(const Locations& locations, const ConformanceOptions& options,
                                             OutputFormat format) {
  const auto timeout = integer_option("--timeout", options.timeout, 1, kLongestTimeout);
  if (!timeout) return tl::unexpected(timeout.error());
  const auto platform = find_board_platform(locations, options.platform);
  if (!platform) return tl::unexpected(platform.error());
  const auto scripts = find_scripts(locations);
  if (!scripts) return tl::unexpected(scripts.error());

  const Interruption interruption;  // neither a process nor an unfinished file is left behind
  PlatformOutput output;            // now: a board takes its time
  if (options.output) {
    auto opened = platform_output_option(locations, *options.output, options.platform, *platform);
    if (!opened) return tl::unexpected(opened.error());
    output = std::move(*opened);
  }

  const AddressLayout layout = address_layout();
  const HalSurroundings surroundings = surroundings_of(*platform, layout.device_base.value());
  ConformanceSubject subject{"", platform->name};
  CliResult<ConformanceReport> report;
  if (options.in_process) {
    report = run_scripts_in_process(*scripts, *platform, layout, surroundings);
  } else {
    const auto libraries = find_board_libraries(options.lib, *platform);
    if (!libraries) return tl::unexpected(libraries.error());
    report = ask_library(*libraries, std::chrono::seconds(*timeout), surroundings, *scripts, subject);
  }
  if (Interruption::happened()) return tl::unexpected(failure("interrupted"));
  if (!report) return tl::unexpected(report.error());

  if (output.file) {
    output.file->write(overlay_text(subject, output.base, find_overlay(*platform, *scripts, *report, layout)));
    if (const auto written = output.file->finish(); !written) return tl::unexpected(failure(written.error()));
  }
  const std::string text = format == OutputFormat::kJson ? document_text(conformance_json(subject, *report))
                                                         : conformance_text(subject, *report);
  return CommandOutput{text, report->agrees() ? ExitCode::kFine : ExitCode::kFailed};
}

}  // namespace svmsim
