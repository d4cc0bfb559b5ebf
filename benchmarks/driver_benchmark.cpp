// SPDX-License-Identifier: Apache-2.0
// Real time of simulated driver calls: by the blocks that are live, by the size of a mapping, with and without a trace
// file. A register and its unregister are two operations.
#include <cstdint>

#include "benchmarks/benchmark_main.h"
#include "benchmarks/driver_rig.h"

namespace svmsim {
namespace {

void map_and_unmap(benchmark::State& state, const Setting& setting, std::uint64_t blocks, Bytes size) {
  Rig rig(setting, blocks, size);
  if (!rig.is_ready()) return state.SkipWithError("no machine, no trace or no memory");
  for (auto _ : state) {
    const DeviceAddr block = rig.next();
    const bool mapped = rig.driver().register_to_host(kRunnerTimeline, block, size).code == DriverCode::kNone;
    const bool unmapped = rig.driver().unregister_from_host(kRunnerTimeline, block) == DriverCode::kNone;
    if (!mapped || !unmapped) return state.SkipWithError("a call failed");
  }
  count_items(state, 2);
}

void allocate_and_free(benchmark::State& state, const Setting& setting, std::uint64_t blocks) {
  Rig rig(setting, blocks, kPage);
  if (!rig.is_ready()) return state.SkipWithError("no machine, no trace or no memory");
  for (auto _ : state) {
    const DeviceAddr block = rig.driver().allocate(kRunnerTimeline, kPage).address;
    if (rig.driver().free(kRunnerTimeline, block) != DriverCode::kNone) return state.SkipWithError("a free failed");
  }
  count_items(state, 2);
}

void copy_word(benchmark::State& state, const Setting& setting, std::uint64_t blocks) {
  Rig rig(setting, blocks, kPage);
  if (!rig.is_ready()) return state.SkipWithError("no machine, no trace or no memory");
  std::uint64_t word = 0;
  // The first access of a page is the host's price, and with many blocks nothing else would be measured.
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const auto code = rig.driver().copy_to_device(kRunnerTimeline, rig.next(), &word, Bytes(sizeof word));
    if (code != DriverCode::kNone) return state.SkipWithError("a copy failed");
  }
  for (auto _ : state) {
    const auto code = rig.driver().copy_from_device(kRunnerTimeline, &word, rig.next(), Bytes(sizeof word));
    if (code != DriverCode::kNone) return state.SkipWithError("a copy failed");
  }
  count_items(state, 1);
}

void add_all() {
  // A fixed number with a trace, because each call adds a line to the file.
  constexpr std::int64_t kTracedPairs = 200'000;
  for (const std::uint64_t blocks : {1u, 10u, 100u, 1000u, 10'000u}) {
    for (const Setting& setting : {kPlain, kMmu, kJsonLines, kChromeEvents}) {
      auto* row = add_row("driver_calls", blocks, setting.name,
                          [=](benchmark::State& state) { map_and_unmap(state, setting, blocks, kPage); });
      if (setting.tracing != Tracing::kOff) row->Iterations(kTracedPairs);
    }
    for (const Setting& setting : {kPlain, kMmu}) {
      add_row("allocate_free", blocks, setting.name,
              [=](benchmark::State& state) { allocate_and_free(state, setting, blocks); });
      add_row("copy_word", blocks, setting.name, [=](benchmark::State& state) { copy_word(state, setting, blocks); });
    }
  }
  for (const std::uint64_t size :
       {std::uint64_t{4} << 10, std::uint64_t{2} << 20, std::uint64_t{256} << 20, std::uint64_t{38} << 30}) {
    for (const Setting& setting : {kPlain, kMmu}) {
      add_row("register", size, setting.name,
              [=](benchmark::State& state) { map_and_unmap(state, setting, 1, Bytes(size)); });
    }
  }
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  svmsim::add_all();
  return svmsim::run_rows(argc, argv);
}
