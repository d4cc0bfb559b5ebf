// SPDX-License-Identifier: Apache-2.0
// Real time of the runtime's books: the owner of an interior address among many live allocations, and a bind.
#include <malloc.h>

#include <algorithm>
#include <random>
#include <vector>

#include "benchmarks/benchmark_main.h"
#include "benchmarks/bind_rig.h"
#include "runtime/allocation_map.h"

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

// Per tensor: to open a run, bind it and close it again, when every tensor is mapped already.
void bind(benchmark::State& state, std::uint64_t tensors) {
  BindRig rig(tensors);
  for (auto _ : state) {
    if (!rig.bind_once()) return state.SkipWithError("the bind failed, or a tensor was not read");
  }
  count_items(state, tensors);
}

void add_all() {
  for (const std::uint64_t live : {100u, 1000u, 10'000u, 100'000u, 1'000'000u}) {
    add_row("owner_lookup", live, "map", [=](benchmark::State& state) { owner_lookup(state, live); });
  }
  for (const std::uint64_t tensors : {2u, 20u, 92u, 256u}) {
    add_row("bind", tensors, "plain", [=](benchmark::State& state) { bind(state, tensors); });
  }
}

}  // namespace
}  // namespace svmsim

int main(int argc, char** argv) {
  svmsim::add_all();
  return svmsim::run_rows(argc, argv);
}
