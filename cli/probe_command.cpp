// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/board_libraries.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/option_value.h"
#include "cli/probe_output.h"
#include "sim/config/fixture_file.h"
#include "sim/config/text_file.h"
#include "sim/conformance/library_port.h"
#include "sim/memory/slice_layout.h"

namespace svmsim {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestProbe = 3600;  // seconds of --timeout
constexpr std::uint64_t kMostLogBytes = std::uint64_t{256} << 20;

// The platform of --platform first, then those of the fixtures, by name, but for one that the output replaces.
CliResult<std::vector<Platform>> find_candidates(const Locations& locations, const Platform& first,
                                                 const PlatformOutput& output) {
  const auto names = fixture_names(locations, "platforms");
  if (!names) return tl::unexpected(names.error());
  std::vector<Platform> candidates{first};
  candidates.reserve(names->size() + 1);
  for (const std::string& name : *names) {
    std::error_code none;
    const std::string file = fixture_file(locations.fixtures, "platforms", name);
    if (fs::equivalent(file, first.file, none)) continue;
    if (output.file && fs::equivalent(file, output.file->path(), none)) continue;
    auto platform = find_platform(locations, name);
    if (!platform) return tl::unexpected(platform.error());
    candidates.push_back(std::move(*platform));
  }
  return candidates;
}

CliResult<BarSupport> read_driver_log(const std::string& path) {
  const auto text = read_text_file(path, "log of a driver", kMostLogBytes);
  if (!text) {
    return tl::unexpected(
        option_error("--driver-log", path, fmt::format("{} ({})", text.error().allowed, text.error().found)));
  }
  const auto support = bar_support_in_log(*text);
  if (!support) {
    return tl::unexpected(option_error("--driver-log", path,
                                       "a file with a line support_bar_mem=0 support_bar_huge_mem=1 (each 0 or 1)"));
  }
  return *support;
}

Finding text_finding(LibraryPort& port, const char* name, const char* how, std::string (LibraryPort::*ask)()) {
  port.begin_case();
  std::string text = (port.*ask)();
  if (!port.failure().empty()) return {name, std::nullopt, port.failure(), false};
  return {name, std::move(text), how, false};
}

CliResult<ProbeResult> ask_board(const BoardLibraries& libraries, std::chrono::seconds guard, const Platform& platform,
                                 const std::optional<BarSupport>& log) {
  const auto opened = open_library_port(libraries, guard, surroundings_of(platform));
  if (!opened) return tl::unexpected(opened.error());
  LibraryPort& port = **opened;
  ProbeResult result;
  result.library = port.library_path();
  result.simulated = port.simulated();
  ProbeSources sources;
  sources.log = log;
  if (!result.simulated) sources.system_page = svmrt::Bytes(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  result.findings = probe(port, sources);
  result.findings.push_back(text_finding(port, "driver_version", "dsmi_get_version", &LibraryPort::driver_version));
  result.findings.push_back(text_finding(port, "soc_name", "aclrtGetSocName", &LibraryPort::soc_name));
  result.missing = missing_findings(result.findings);
  return result;
}

// The candidate that the written file extends, of several the first; null when none has rules.
const Platform* compare(ProbeResult& result, const std::vector<Platform>& candidates) {
  const AddressLayout layout{slice_layout().first_slice(), slice_layout().slice};
  const HostPageSource pages = result.simulated ? HostPageSource::kAnswers : HostPageSource::kSystem;
  const Platform* base = nullptr;
  std::vector<FindingDifference> fewest;
  for (const Platform& candidate : candidates) {
    auto different = differences(result.findings, probe_in_process(candidate, layout, pages));
    if (different.empty()) result.fits.push_back(candidate.name);
    // No key turns a driver without rules into another.
    if (!different.empty() && candidate.personality == Personality::kIdentity) continue;
    if (base != nullptr && different.size() >= fewest.size()) continue;
    base = &candidate;
    fewest = std::move(different);
  }
  if (result.fits.empty() && base != nullptr) {
    result.nearest = NearestPlatform{base->name, fewest, find_probe_overlay(*base, result.findings, layout, pages)};
  }
  return base;
}

}  // namespace

CliResult<CommandOutput> probe_command(const Locations& locations, const ProbeOptions& options, OutputFormat format) {
  const auto timeout = integer_option("--timeout", options.timeout, 1, kLongestProbe);
  if (!timeout) return tl::unexpected(timeout.error());
  const auto platform = find_platform(locations, options.platform);
  if (!platform) return tl::unexpected(platform.error());
  std::optional<BarSupport> log;
  if (options.log) {
    const auto support = read_driver_log(*options.log);
    if (!support) return tl::unexpected(support.error());
    log = *support;
  }
  const Interruption interruption;  // neither a process nor an unfinished file is left behind
  PlatformOutput output;            // now: a board takes its time
  if (options.output) {
    auto opened = platform_output_option(locations, *options.output, options.platform, *platform);
    if (!opened) return tl::unexpected(opened.error());
    output = std::move(*opened);
  }
  const auto candidates = find_candidates(locations, *platform, output);
  if (!candidates) return tl::unexpected(candidates.error());
  const auto libraries = find_board_libraries(options.lib, *platform);
  if (!libraries) return tl::unexpected(libraries.error());
  auto result = ask_board(*libraries, std::chrono::seconds(*timeout), *platform, log);
  if (Interruption::happened()) return tl::unexpected(failure("interrupted"));
  if (!result) return tl::unexpected(result.error());

  if (result->missing.empty()) {
    const Platform* const base = compare(*result, *candidates);
    if (output.file && base != nullptr) {
      const bool is_first = base == &candidates->front();
      output.file->write(probed_platform_text(*result, base->name,
                                              is_first ? output.base : fs::path(base->file).stem().string(),
                                              result->nearest ? result->nearest->overlay : ProbeOverlay{}));
      if (const auto written = output.file->finish(); !written) return tl::unexpected(failure(written.error()));
      result->output = output.file->path();
    }
  }
  return CommandOutput{format == OutputFormat::kJson ? document_text(probe_json(*result)) : probe_text(*result),
                       result->fits.empty() ? ExitCode::kFailed : ExitCode::kFine};
}

}  // namespace svmsim
