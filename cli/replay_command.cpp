// SPDX-License-Identifier: Apache-2.0
// Runs a scenario in a child process, which sends a line of JSON for each step as it happens, and shows what came.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/replay_output.h"
#include "cli/scenario_platforms.h"
#include "property_tests/harness.h"
#include "property_tests/scenario_file.h"
#include "property_tests/scenario_process.h"
#include "sim/descriptor.h"

namespace svmsim {

namespace {

constexpr unsigned kHangSeconds = 60;  // only decides what counts as a hang

std::string read_all(int descriptor) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

[[noreturn]] void run_in_child(int descriptor, const Scenario& scenario, const Player& player) {
  end_after(kHangSeconds);
  const auto send = [&](const Json& line) {
    if (!write_all(descriptor, line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n")) ::_exit(1);
  };
  const ScenarioResult result = player(scenario, [&](const StepReport& step) { send(step_json(step, scenario)); });
  send(verdict_json(result));
  ::_exit(0);
}

// What the child sent: the steps, and the verdict when it lived to give one.
struct Played {
  Json steps = Json::array();
  Json verdict;
};

Played played_from(const std::string& lines, int status) {
  Played played;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    if (end == std::string::npos) break;  // the process died in the middle of it
    Json line = Json::parse(lines.substr(at, end - at));
    if (line.contains("index")) {
      played.steps.push_back(std::move(line));
    } else {
      played.verdict = std::move(line);
    }
    at = end + 1;
  }
  if (played.verdict.is_null()) {
    ScenarioResult result;
    result.failure = failure_of_death(status, kHangSeconds, played.steps.size());
    played.verdict = verdict_json(result);
  }
  return played;
}

CliResult<Played> play(const Scenario& scenario, const Player& player) {
  int ends[2];
  if (::pipe(ends) != 0) return tl::unexpected(failure("cannot make a pipe"));
  const pid_t child = fork_process();
  if (child == 0) {
    ::close(ends[0]);
    run_in_child(ends[1], scenario, player);
  }
  ::close(ends[1]);
  const std::string lines = child < 0 ? "" : read_all(ends[0]);
  ::close(ends[0]);
  if (child < 0) return tl::unexpected(failure("cannot start a process to run the scenario in"));
  const std::optional<int> status = wait_for(child);
  if (!status) return tl::unexpected(failure("cannot learn how the process of the scenario ended"));
  return played_from(lines, *status);
}

}  // namespace

CliResult<CommandOutput> replay_command(const Locations& locations, const std::string& file, OutputFormat format,
                                        const Player& player) {
  const auto platforms = find_scenario_platforms(locations);
  if (!platforms) return tl::unexpected(platforms.error());
  const auto scenario = load_scenario(file);
  if (!scenario) return tl::unexpected(cli_error(scenario.error()));
  if (const auto known = check_platform(*scenario, file, *platforms); !known) return tl::unexpected(known.error());
  const Player on_the_machine = [&](const Scenario& played, const std::function<void(const StepReport&)>& on_step) {
    return run_scenario(played, *platforms, on_step);
  };
  auto played = play(*scenario, player ? player : on_the_machine);
  if (!played) return tl::unexpected(played.error());
  const std::string error = played->verdict.at("error");
  if (!error.empty()) return tl::unexpected(failure(error));
  const Json document = replay_json(file, *scenario, std::move(played->steps), played->verdict);
  CommandOutput output;
  output.text = format == OutputFormat::kJson ? document_text(document) : replay_text(document);
  output.exit_code = document.at("failure").is_null() ? ExitCode::kFine : ExitCode::kFailed;
  return output;
}

}  // namespace svmsim
