// SPDX-License-Identifier: Apache-2.0
// Real time of simulated driver calls: one register and unregister of a block, without and with an observer.
#include <benchmark/benchmark.h>

#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

class CountingObserver final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { cost_ += record.cost.count(); }
  [[nodiscard]] std::uint64_t cost() const { return cost_; }

 private:
  std::uint64_t cost_ = 0;
};

void register_unregister_pair(benchmark::State& state, bool observed) {
  auto machine = Machine::create(Platform{}, CostModel());
  if (!machine) {
    state.SkipWithError(machine.error().c_str());
    return;
  }
  CountingObserver observer;
  if (observed) (*machine)->add_observer(observer);
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
  benchmark::DoNotOptimize(observer.cost());
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(register_unregister_pair, plain, false)->Arg(4096)->Arg(2 << 20)->Arg(std::int64_t{38} << 30);
BENCHMARK_CAPTURE(register_unregister_pair, observed, true)->Arg(4096)->Arg(std::int64_t{38} << 30);

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
