// SPDX-License-Identifier: Apache-2.0
// Real time of simulated driver calls: one register and unregister of a block, without and with a trace file. The items
// of a pair are its two calls.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/machine/trace_writer.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

enum class Tracing { kOff, kJsonLines, kChromeEvents };

// A trace of a benchmark, removed after it.
class ScratchTrace {
 public:
  ScratchTrace(Machine& machine, Tracing tracing)
      : path_((std::filesystem::temp_directory_path() / ("svmsim-benchmark-" + std::to_string(getpid()))).string() +
              (tracing == Tracing::kJsonLines ? ".jsonl" : ".json")) {
    if (tracing == Tracing::kOff) return;
    auto writer = TraceWriter::create(path_);
    if (!writer) return;
    writer_ = std::move(*writer);
    writer_->set_origin(machine.slice_base());
    machine.add_observer(*writer_);
  }
  ~ScratchTrace() {
    if (writer_ && writer_->finish()) std::remove(path_.c_str());
  }
  ScratchTrace(const ScratchTrace&) = delete;
  ScratchTrace& operator=(const ScratchTrace&) = delete;
  [[nodiscard]] bool is_open() const { return writer_ != nullptr; }

 private:
  std::string path_;
  std::unique_ptr<TraceWriter> writer_;
};

void register_unregister_pair(benchmark::State& state, BackingKind backing, Tracing tracing) {
  auto machine = Machine::create(Platform{}, CostModel(), {backing});
  if (!machine) {
    state.SkipWithError(machine.error().c_str());
    return;
  }
  const ScratchTrace trace(**machine, tracing);
  if (trace.is_open() != (tracing != Tracing::kOff)) {
    state.SkipWithError("the trace cannot be written");
    return;
  }
  RuntimeDriver driver(**machine);
  const Bytes size(static_cast<std::uint64_t>(state.range(0)));
  const DeviceAddr block = driver.allocate(kRunnerTimeline, size).address;
  for (auto _ : state) {
    const bool mapped = driver.register_to_host(kRunnerTimeline, block, size).code == DriverCode::kNone;
    const bool unmapped = driver.unregister_from_host(kRunnerTimeline, block) == DriverCode::kNone;
    if (!mapped || !unmapped) {
      state.SkipWithError("a call failed");
      return;
    }
  }
  state.SetItemsProcessed(2 * state.iterations());
}

constexpr std::int64_t k38GiB = std::int64_t{38} << 30;
BENCHMARK_CAPTURE(register_unregister_pair, plain, BackingKind::kPlain, Tracing::kOff)
    ->Arg(4096)
    ->Arg(2 << 20)
    ->Arg(k38GiB);
BENCHMARK_CAPTURE(register_unregister_pair, mmu, BackingKind::kMmu, Tracing::kOff)->Arg(4096)->Arg(k38GiB);
// A fixed number, because each call adds a line to the file.
BENCHMARK_CAPTURE(register_unregister_pair, jsonl, BackingKind::kPlain, Tracing::kJsonLines)
    ->Arg(4096)
    ->Arg(k38GiB)
    ->Iterations(500'000);
BENCHMARK_CAPTURE(register_unregister_pair, chrome, BackingKind::kPlain, Tracing::kChromeEvents)
    ->Arg(4096)
    ->Iterations(500'000);

void allocate_free(benchmark::State& state) {
  auto machine = Machine::create(Platform{}, CostModel());
  if (!machine) {
    state.SkipWithError(machine.error().c_str());
    return;
  }
  RuntimeDriver driver(**machine);
  for (auto _ : state) {
    const DeviceAddr block = driver.allocate(kRunnerTimeline, Bytes(4096)).address;
    if (driver.free(kRunnerTimeline, block) != DriverCode::kNone) {
      state.SkipWithError("a free failed");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(allocate_free);

}  // namespace
}  // namespace svmsim

BENCHMARK_MAIN();
