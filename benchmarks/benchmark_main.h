// SPDX-License-Identifier: Apache-2.0
// What the benchmark programs share. A row is named operation/work/who: `work` is what the cost may grow with, `who`
// what is measured. Its items per second are operations; scripts/bench reads them.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>

namespace svmsim {

inline benchmark::internal::Benchmark* add_row(const std::string& operation, std::uint64_t work, const std::string& who,
                                               std::function<void(benchmark::State&)> row) {
  const std::string name = operation + "/" + std::to_string(work) + "/" + who;
  return benchmark::RegisterBenchmark(name.c_str(), std::move(row));
}

inline void count_items(benchmark::State& state, std::uint64_t per_iteration) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_iteration));
}

// Returns what main returns.
inline int run_rows(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace svmsim
