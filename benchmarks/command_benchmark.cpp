// SPDX-License-Identifier: Apache-2.0
// Real time and memory of the svmsim command, from the start of its process to its end.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/benchmark_main.h"

namespace svmsim {
namespace {

struct Ended {
  bool fine = false;
  double seconds = 0;
  double peak_megabytes = 0;  // resident
  std::string output;
};

Ended run(std::vector<std::string> words) {
  words.insert(words.begin(), SVMSIM_PROGRAM);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int error = posix_spawn(&child, SVMSIM_PROGRAM, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ended ended;
  if (error == 0) {
    char buffer[1 << 16];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
      ended.output.append(buffer, static_cast<std::size_t>(got));
    int status = 0;
    rusage used{};
    ended.fine = wait4(child, &status, 0, &used) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ended.peak_megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  }
  close(ends[0]);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ended;
}

void whole_run(benchmark::State& state, const std::vector<std::string>& words) {
  double peak = 0;
  for (auto _ : state) {
    const Ended ended = run(words);
    if (!ended.fine) return state.SkipWithError("the command failed");
    state.SetIterationTime(ended.seconds);
    peak = std::max(peak, ended.peak_megabytes);
  }
  count_items(state, 1);
  state.counters["peak_mb"] = peak;
}

// What a run of one round takes is subtracted from one of several.
void round_of(benchmark::State& state, const std::string& scene) {
  constexpr int kMoreRounds = 4;
  for (auto _ : state) {
    const Ended one = run({"run", scene, "--rounds", "1", "--json"});
    const Ended several = run({"run", scene, "--rounds", std::to_string(1 + kMoreRounds), "--json"});
    if (!one.fine || !several.fine) return state.SkipWithError("the run failed");
    state.SetIterationTime(std::max(1e-9, (several.seconds - one.seconds) / kMoreRounds));
  }
  count_items(state, 1);
}

void property_operations(benchmark::State& state, std::uint64_t cases) {
  std::uint64_t operations = 0;
  for (auto _ : state) {
    const Ended ended = run({"check", "--cases", std::to_string(cases), "--json"});
    if (!ended.fine) return state.SkipWithError("the check failed");
    state.SetIterationTime(ended.seconds);
    operations += nlohmann::json::parse(ended.output).at("operations").get<std::uint64_t>();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(operations));
}

void add_all() {
  const auto timed = [](benchmark::internal::Benchmark* row, int iterations) {
    row->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(iterations);
  };
  const auto whole = [](std::vector<std::string> words) {
    return [words = std::move(words)](benchmark::State& state) { whole_run(state, words); };
  };
  timed(add_row("start_up", 1, "small1", whole({"run", "paged_attention_small1_child_memory", "--json"})), 20);
  timed(add_row("scene_38GiB", 1, "register_all",
                whole({"run", "qwen3_14b_decode_child_memory", "--policy", "register-all", "--json"})),
        3);
  for (const auto& [tasks, scene] : {std::pair{std::uint64_t{65'792}, "paged_attention_case1"},
                                     std::pair{std::uint64_t{65'792}, "paged_attention_case1_child_memory"}}) {
    const std::string name = scene;
    timed(add_row("round", tasks, name, [=](benchmark::State& state) { round_of(state, name); }), 2);
  }
  for (const std::uint64_t cases : {10u, 100u, 1000u, 10'000u}) {
    timed(add_row("property_operation", cases, "check",
                  [=](benchmark::State& state) { property_operations(state, cases); }),
          2);
  }
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  svmsim::add_all();
  return svmsim::run_rows(argc, argv);
}
