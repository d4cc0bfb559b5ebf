// SPDX-License-Identifier: Apache-2.0
// Real time of simulated driver calls: by the blocks that are live, by the size of a mapping, with and without a trace
// file. A register and its unregister are two operations.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/benchmark_main.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/machine/trace_writer.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

constexpr Bytes kPage{4096};

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

struct Setting {
  const char* name;
  BackingKind backing;
  Tracing tracing = Tracing::kOff;
};
constexpr Setting kPlain{"plain", BackingKind::kPlain};
constexpr Setting kMmu{"mmu", BackingKind::kMmu};
constexpr Setting kJsonLines{"jsonl", BackingKind::kPlain, Tracing::kJsonLines};
constexpr Setting kChromeEvents{"chrome", BackingKind::kPlain, Tracing::kChromeEvents};

// A machine with live blocks of one size.
class Rig {
 public:
  Rig(const Setting& setting, std::uint64_t blocks, Bytes size) {
    auto made = Machine::create(Platform{}, CostModel(), {setting.backing});
    if (!made) return;
    machine_ = std::move(*made);
    trace_.emplace(*machine_, setting.tracing);
    if (trace_->is_open() != (setting.tracing != Tracing::kOff)) return;
    driver_.emplace(*machine_);
    for (std::uint64_t i = 0; i < blocks; ++i) blocks_.push_back(driver_->allocate(kRunnerTimeline, size).address);
    ready_ = !blocks_.back().is_null();
  }
  [[nodiscard]] bool is_ready() const { return ready_; }
  RuntimeDriver& driver() { return *driver_; }
  // In turn.
  DeviceAddr next() {
    if (++turn_ == blocks_.size()) turn_ = 0;
    return blocks_[turn_];
  }

 private:
  std::unique_ptr<Machine> machine_;
  std::optional<ScratchTrace> trace_;
  std::optional<RuntimeDriver> driver_;
  std::vector<DeviceAddr> blocks_;
  std::size_t turn_ = 0;
  bool ready_ = false;
};

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
  for (auto _ : state) {
    const auto code = rig.driver().copy_from_device(kRunnerTimeline, &word, rig.next(), Bytes(sizeof word));
    if (code != DriverCode::kNone) return state.SkipWithError("a copy failed");
  }
  count_items(state, 1);
}

void add_all() {
  // A fixed number with a trace, because each call adds a line to the file.
  constexpr std::int64_t kTracedPairs = 200'000;
  for (const std::uint64_t blocks : {1, 10, 100, 1000, 10'000}) {
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
