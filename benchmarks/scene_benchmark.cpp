// SPDX-License-Identifier: Apache-2.0
// Real time of a round of a scene, after set-up: what a run of one round takes is subtracted from one of several.
#include <benchmark/benchmark.h>

#include <chrono>

#include "cli/commands.h"

namespace svmsim {
namespace {

constexpr int kMoreRounds = 4;

double seconds_of_run(benchmark::State& state, const std::string& scene, int rounds) {
  RunOptions options;
  options.scene = scene;
  options.rounds = std::to_string(rounds);
  const auto begin = std::chrono::steady_clock::now();
  const auto output = run_command(default_locations(), options, OutputFormat::kJson);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (!output || output->exit_code != ExitCode::kFine) state.SkipWithError("the run failed");
  return taken.count();
}

void round_of(benchmark::State& state, const std::string& scene) {
  for (auto _ : state) {
    const double one = seconds_of_run(state, scene, 1);
    const double several = seconds_of_run(state, scene, 1 + kMoreRounds);
    state.SetIterationTime((several - one) / kMoreRounds);
    state.counters["set-up and first round s"] = one;
  }
}

BENCHMARK_CAPTURE(round_of, small1, std::string("paged_attention_small1_child_memory"))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);
BENCHMARK_CAPTURE(round_of, case1, std::string("paged_attention_case1_child_memory"))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);
BENCHMARK_CAPTURE(round_of, case1_staged, std::string("paged_attention_case1"))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

}  // namespace
}  // namespace svmsim

BENCHMARK_MAIN();
