// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/option_value.h"
#include "cli/scenario_platforms.h"
#include "cli/standard_streams.h"
#include "property_tests/campaign.h"
#include "property_tests/generator.h"
#include "property_tests/scenario_file.h"

namespace svmsim {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostSeconds = 2'678'400;  // 31 days

struct CheckSetup {
  ScenarioPlatforms platforms;
  DrawOptions draw;
  CampaignOptions campaign;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> seconds;
  std::string save;
  std::string more_options;  // that a command which repeats this must have
};

CliResult<Shard> shard_option(const std::string& text) {
  const auto wrong = [&] {
    return tl::unexpected(
        option_error("--shard", text, fmt::format("I/N with N from 1 to {} and I from 0 to N - 1", kMostShards)));
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return wrong();
  const auto count = integer_option("--shard", text.substr(slash + 1), 1, kMostShards);
  if (!count) return wrong();
  const auto index = integer_option("--shard", text.substr(0, slash), 0, *count - 1);
  if (!index) return wrong();
  return Shard{*index, *count};
}

// What narrows the choice of each case down.
CliResult<CheckSetup> with_draw_options(CheckSetup setup, const Locations& locations, const CheckOptions& options) {
  auto platforms = find_scenario_platforms(locations);
  if (!platforms) return tl::unexpected(platforms.error());
  setup.platforms = std::move(*platforms);
  if (locations.fixtures != default_locations().fixtures) {
    setup.more_options += " --fixtures " + locations.fixtures;
  }
  if (options.platform) {
    if (find_platform(setup.platforms, *options.platform) == nullptr) {
      return tl::unexpected(option_error("--platform", *options.platform, names_of(setup.platforms)));
    }
    setup.draw.platform = options.platform;
    setup.more_options += " --platform " + *options.platform;
  }
  if (options.policy) {
    const auto policy = policy_option(*options.policy);
    if (!policy) return tl::unexpected(policy.error());
    setup.draw.policy = *policy;
    setup.more_options += " --policy " + svmrt::policy_name(*policy);
  }
  return setup;
}

CliResult<CheckSetup> check_setup(const Locations& locations, const CheckOptions& options) {
  CheckSetup setup;
  const auto seed = integer_option("--seed", options.seed, 0, UINT64_MAX);
  if (!seed) return tl::unexpected(seed.error());
  setup.seed = *seed;
  const auto first = integer_option("--first", options.first, 0, kMostFirst);
  if (!first) return tl::unexpected(first.error());
  setup.campaign.first = *first;
  const auto cases = integer_option("--cases", options.cases, 1, kMostCases);
  if (!cases) return tl::unexpected(cases.error());
  setup.campaign.cases = *cases;
  const auto shard = shard_option(options.shard);
  if (!shard) return tl::unexpected(shard.error());
  setup.campaign.shard = *shard;
  if (options.time) {
    const auto seconds = integer_option("--time", *options.time, 1, kMostSeconds);
    if (!seconds) return tl::unexpected(seconds.error());
    setup.seconds = *seconds;
  }
  std::error_code error;
  if (!fs::is_directory(options.save, error)) {
    return tl::unexpected(option_error("--save", options.save, "a folder that exists"));
  }
  setup.save = options.save;
  return with_draw_options(std::move(setup), locations, options);
}

std::uint64_t all_cases(const CampaignOptions& options) {
  return cases_of_shard(options.first, options.cases, options.shard.index, options.shard.count);
}

// On stderr: a line that is written over on a terminal, and otherwise a line for every tenth.
class Progress {
 public:
  explicit Progress(std::uint64_t total) : total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (terminal_ && shown_ > 0) std::fputc('\n', stderr);
  }
  void show(const CampaignResult& so_far) {
    const std::uint64_t tenth = so_far.cases * 10 / std::max<std::uint64_t>(total_, 1);
    if (!terminal_ && tenth == shown_) return;
    shown_ = terminal_ ? 1 : tenth;
    std::fprintf(stderr, "%s%" PRIu64 " of %" PRIu64 " cases, %" PRIu64 " operations%s", terminal_ ? "\r" : "",
                 so_far.cases, total_, so_far.operations, terminal_ ? "" : "\n");
  }

 private:
  const std::uint64_t total_;
  const bool terminal_;
  std::uint64_t shown_ = 0;  // the last tenth, or on a terminal whether anything was
};

CampaignResult run(const CheckSetup& setup, const Judge& judge) {
  Progress progress(all_cases(setup.campaign));
  // The clock decides when to stop and nothing else.
  const auto begin = std::chrono::steady_clock::now();
  const auto go_on = [&](const CampaignResult& so_far) {
    progress.show(so_far);
    if (Interruption::happened()) return false;
    return !setup.seconds || std::chrono::steady_clock::now() - begin < std::chrono::seconds(*setup.seconds);
  };
  return run_campaign(
      setup.campaign,
      [&](std::uint64_t index) { return draw_scenario(setup.platforms, setup.draw, setup.seed, index); },
      [&](const Scenario& scenario) { return judge ? judge(scenario) : run_scenario(scenario, setup.platforms); },
      go_on);
}

CheckFailure check_failure(const CheckSetup& setup, CampaignFailure found) {
  CheckFailure failure;
  failure.index = found.index;
  failure.failure = std::move(found.failure);
  // Where a process dies is not known.
  failure.failure.operation = std::min(failure.failure.operation, found.shrunk.operations.size());
  failure.reproduced = found.reproduced;
  failure.drawn_operations = found.drawn.operations.size();
  failure.trials = found.trials;
  failure.scenario = std::move(found.shrunk);
  const std::string name = fmt::format("failing-{}-{}", setup.seed, found.index);
  const std::string again =
      fmt::format("svmsim check --seed {} --first {} --cases 1{}", setup.seed, found.index, setup.more_options);
  failure.scenario.name = name;
  failure.scenario.description = fmt::format("{}: {}", failure.failure.property, failure.failure.message);
  failure.scenario.source = again;
  const std::string path = (fs::path(setup.save) / (name + ".toml")).string();
  std::ofstream file(path, std::ios::binary);
  file << scenario_text(failure.scenario) << std::flush;
  if (file) {
    failure.file = path;
    failure.reproduce.push_back("svmsim replay " + path);
  } else {
    print_error_line("cannot write " + path);
  }
  failure.reproduce.push_back(again);
  return failure;
}

CliResult<CheckReport> campaign_report(const Locations& locations, const CheckOptions& options, const Judge& judge) {
  const auto setup = check_setup(locations, options);
  if (!setup) return tl::unexpected(setup.error());
  CampaignResult result = run(*setup, judge);
  if (!result.error.empty()) return tl::unexpected(failure(result.error));
  CheckReport report;
  report.seed = setup->seed;
  report.first = setup->campaign.first;
  report.cases = setup->campaign.cases;
  report.platform = options.platform;
  if (setup->draw.policy) report.policy = svmrt::policy_name(*setup->draw.policy);
  report.shard_count = setup->campaign.shard.count;
  report.shards = {setup->campaign.shard.index};
  report.judged = result.cases;
  report.complete = result.cases == all_cases(setup->campaign);
  report.operations = result.operations;
  report.coverage = result.coverage;
  report.digest = result.digest;
  if (result.failure) report.failure = check_failure(*setup, std::move(*result.failure));
  return report;
}

CliResult<CheckReport> merged_report(const std::vector<std::string>& files) {
  auto sum = read_check_report(files.front());
  for (std::size_t i = 1; i < files.size() && sum; ++i) {
    const auto other = read_check_report(files[i]);
    if (!other) return tl::unexpected(other.error());
    sum = merged(std::move(*sum), *other, files[i]);
  }
  return sum;
}

}  // namespace

CliResult<CommandOutput> check_command(const Locations& locations, const CheckOptions& options, OutputFormat format,
                                       const Judge& judge) {
  const bool merges = !options.merge.empty();
  std::optional<Interruption> interruption;
  if (!merges) interruption.emplace();
  const auto report = merges ? merged_report(options.merge) : campaign_report(locations, options, judge);
  if (!report) return tl::unexpected(report.error());
  const bool interrupted = !merges && Interruption::happened() && !report->complete;
  if (interrupted) print_error_line(fmt::format("interrupted after {} cases", report->judged));
  const bool lacks_shards = merges && !report->has_all_shards();
  if (lacks_shards) {
    print_error_line(fmt::format("only {} of {} shards are there", report->shards.size(), report->shard_count));
  }
  CommandOutput output;
  output.text = format == OutputFormat::kJson ? document_text(check_json(*report)) : check_text(*report);
  output.exit_code = report->failure || interrupted || lacks_shards ? ExitCode::kFailed : ExitCode::kFine;
  return output;
}

}  // namespace svmsim
