// SPDX-License-Identifier: Apache-2.0
// Real time of the runtime's books: the owner of an interior address among many live allocations, and a bind.
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/benchmark_main.h"
#include "runtime/allocation_map.h"
#include "runtime/run/bind.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"

namespace svmsim {
namespace {

using svmrt::AllocationMap;

constexpr std::uint64_t kFirst = std::uint64_t{1} << 40;
constexpr std::uint64_t kBlock = 4096;

// Random interior addresses of so many live allocations. The counter is what one allocation costs in host memory.
void owner_lookup(benchmark::State& state, std::uint64_t live) {
  constexpr std::size_t kLookups = 16'384;
  std::mt19937_64 random(20'261'201);
  std::vector<std::uint64_t> order(live);
  for (std::uint64_t i = 0; i < live; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);  // blocks are not allocated in the order of their addresses
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  AllocationMap allocations;
  for (const std::uint64_t i : order) {
    if (!allocations.insert(AllocationMap::make(svmrt::DeviceAddr(kFirst + i * kBlock), svmrt::Bytes(kBlock)))) {
      return state.SkipWithError("an insert failed");
    }
  }
  const std::size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
  std::vector<svmrt::DeviceAddr> visited;
  for (std::size_t i = 0; i < kLookups; ++i) {
    visited.emplace_back(kFirst + random() % live * kBlock + random() % kBlock);
  }
  std::uint64_t found = 0;
  for (auto _ : state) {
    for (const svmrt::DeviceAddr address : visited) found += allocations.owner_of(address) != nullptr ? 1u : 0u;
  }
  if (found != static_cast<std::uint64_t>(state.iterations()) * kLookups) state.SkipWithError("an owner is missing");
  count_items(state, kLookups);
  state.counters["bytes_per_allocation"] = static_cast<double>(bytes) / static_cast<double>(live);
}

// Reads the first element of each tensor.
class ReadsEachTensor final : public svmrt::Callable {
 public:
  svmrt::Result<std::int32_t> expected_arg_count(const ChipTaskArgs& args) override { return args.tensor_count(); }
  svmrt::Result<void> invoke(const ChipTaskArgs& args, const Pto2Ops& ops, void* context) override {
    const std::uint32_t first = 0;
    for (std::int32_t i = 0; i < args.tensor_count(); ++i)
      ops.get_tensor_data(context, &args.tensor(i).ref(), 1, &first);
    return {};
  }
};

// Per tensor: to open a run, bind it and close it again, when every tensor is mapped already.
void bind(benchmark::State& state, std::uint64_t tensors) {
  auto machine = Machine::create(Platform{}, CostModel());
  if (!machine) return state.SkipWithError(machine.error().c_str());
  RuntimeDriver driver(**machine);
  svmrt::DeviceRunner runner(driver, svmrt::RunnerConfig{});
  std::vector<svmrt::TensorArgument> arguments;
  std::vector<svmrt::DeviceAddr> blocks;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    arguments.push_back(
        {"t" + std::to_string(i), {64}, DataType::FLOAT32, svmrt::Direction::kIn, svmrt::Residency::kChildMemory});
    const auto block = runner.device_malloc(arguments.back().size());
    if (!block) return state.SkipWithError(block.error().message.c_str());
    blocks.push_back(*block);
  }
  ReadsEachTensor callable;
  svmrt::RunRequest request;
  request.tensors = arguments;
  request.child_memory = blocks;
  request.callable = &callable;
  for (auto _ : state) {
    auto run = svmrt::BoundRun::open(runner, request);
    if (!run || !(*run)->bind()) return state.SkipWithError("the bind failed");
    if ((*run)->report().accesses != tensors) return state.SkipWithError("a tensor was not read");
  }
  count_items(state, tensors);
}

void add_all() {
  for (const std::uint64_t live : {100, 1000, 10'000, 100'000, 1'000'000}) {
    add_row("owner_lookup", live, "map", [=](benchmark::State& state) { owner_lookup(state, live); });
  }
  for (const std::uint64_t tensors : {2, 20, 92, 256}) {
    add_row("bind", tensors, "plain", [=](benchmark::State& state) { bind(state, tensors); });
  }
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  svmsim::add_all();
  return svmsim::run_rows(argc, argv);
}
