// SPDX-License-Identifier: Apache-2.0
// Real time of element accesses through a TensorAccess whose regions all have a view. Beside each row stand, over the
// same addresses and in the same run: the raw load (a function that is not inlined, with the same subtraction and one
// load), and a linear scan over {base, size, view}.
//
// Names: operation/regions/who. An iteration is 16,384 accesses, as many as a bind of case1 makes; the next iteration
// makes other ones, because a branch predictor learns a random order that comes again.
#include <cstring>
#include <string>
#include <vector>

#include "benchmarks/benchmark_main.h"
#include "benchmarks/element_workload.h"
#include "runtime/orchestration/orchestrator.h"

namespace svmrt {
namespace {

[[gnu::noinline]] std::uint32_t raw_load(const Region& region, std::uint64_t address) {
  std::uint32_t value = 0;
  std::memcpy(&value, region.view + (address - region.base), sizeof value);
  return value;
}

[[gnu::noinline]] void raw_store(const Region& region, std::uint64_t address, std::uint32_t value) {
  std::memcpy(region.view + (address - region.base), &value, sizeof value);
}

// As a runtime without an index does it.
[[gnu::noinline]] std::byte* scan(const std::vector<Region>& regions, std::uint64_t address, std::uint64_t size) {
  for (const Region& region : regions) {
    if (address < region.base) continue;
    const std::uint64_t offset = address - region.base;
    if (offset < region.size && size <= region.size - offset) return region.view + offset;
  }
  return nullptr;
}

using Loop = void (*)(benchmark::State&, const Workload&);

template <typename Access>
void each(benchmark::State& state, Access access) {
  std::uint32_t sum = 0;
  std::size_t order = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kAccesses; ++i) sum += access(order + i);
    order = (order + kAccesses) % (kOrders * kAccesses);
  }
  benchmark::DoNotOptimize(sum);
  svmsim::count_items(state, kAccesses);
}

void read_raw(benchmark::State& state, const Workload& work) {
  each(state, [&](std::size_t i) { return raw_load(work.visited(i), work.address(i)); });
}

void read_scan(benchmark::State& state, const Workload& work) {
  each(state, [&](std::size_t i) {
    std::uint32_t value = 0;
    if (const std::byte* from = scan(work.regions(), work.address(i), 4)) std::memcpy(&value, from, 4);
    return value;
  });
}

void read_accessor(benchmark::State& state, const Workload& work) {
  const auto access = work.claimed();
  if (!access || access->resolve_all() != work.regions().size()) return state.SkipWithError("a region has no view");
  each(state, [&](std::size_t i) {
    const TensorAccess::Element element = access->load(DeviceAddr(work.address(i)), Bytes(4));
    if (!element.ok()) state.SkipWithError("a read failed");
    return static_cast<std::uint32_t>(element.bits);
  });
}

// Through the interface of an orchestration, which checks the tensor and its indices too.
void read_api(benchmark::State& state, const Workload& work) {
  const auto access = work.claimed();
  if (!access) return state.SkipWithError("a region has no view");
  Orchestrator orchestrator(*access, OrchestratorConfig{});
  const std::vector<ChipTensor> tensors = work.tensors();
  pto2_bind_orchestration(&orchestrator.ops(), orchestrator.context());
  each(state, [&](std::size_t i) {
    const ChipTensor& tensor = tensors[work.visited_region(i)];
    const std::uint32_t index[] = {static_cast<std::uint32_t>(work.address(i) - tensor.buffer.addr) / 4};
    return get_tensor_data<std::uint32_t>(tensor, 1, index);
  });
  pto2_bind_orchestration(nullptr, nullptr);
  if (orchestrator.is_fatal()) state.SkipWithError(orchestrator.fatal_message().c_str());
  if (access->stats().view_loads == 0) state.SkipWithError("nothing was read");
}

void write_raw(benchmark::State& state, const Workload& work) {
  each(state, [&](std::size_t i) {
    raw_store(work.visited(i), work.address(i), 1);
    return 0u;
  });
}

void write_scan(benchmark::State& state, const Workload& work) {
  each(state, [&](std::size_t i) {
    const std::uint32_t value = 1;
    if (std::byte* to = scan(work.regions(), work.address(i), 4)) std::memcpy(to, &value, 4);
    return 0u;
  });
}

void write_accessor(benchmark::State& state, const Workload& work) {
  const auto access = work.claimed();
  if (!access || access->resolve_all() != work.regions().size()) return state.SkipWithError("a region has no view");
  each(state, [&](std::size_t i) {
    if (access->store(DeviceAddr(work.address(i)), 1, Bytes(4)) != AccessStatus::kOk)
      state.SkipWithError("a write failed");
    return 0u;
  });
}

// An address behind the regions.
void miss_accessor(benchmark::State& state, const Workload& work) {
  const auto access = work.claimed();
  const Region& last = work.regions().back();
  each(state, [&](std::size_t i) {
    const TensorAccess::Element element = access->load(DeviceAddr(last.base + last.size + 4 * i), Bytes(4));
    if (element.status != AccessStatus::kNoRegion) state.SkipWithError("no miss");
    return 0u;
  });
}

void miss_scan(benchmark::State& state, const Workload& work) {
  const Region& last = work.regions().back();
  each(state,
       [&](std::size_t i) { return scan(work.regions(), last.base + last.size + 4 * i, 4) == nullptr ? 0u : 1u; });
}

// Per region: to claim it, or to claim it and read its first element once.
template <bool kReads>
void claim_accessor(benchmark::State& state, const Workload& work) {
  for (auto _ : state) {
    TensorAccess access(&work.api());
    if (!work.claim(access)) return state.SkipWithError("a claim failed");
    for (std::size_t i = 0; kReads && i < work.regions().size(); ++i) {
      if (!access.load(DeviceAddr(work.regions()[i].base), Bytes(4)).ok()) state.SkipWithError("a read failed");
    }
  }
  svmsim::count_items(state, work.regions().size());
}

void add(const std::string& operation, std::size_t regions, Layout layout, Order order, const char* who, Loop loop) {
  svmsim::add_row(operation, regions, who, [=](benchmark::State& state) {
    const Workload work(regions, layout, order);
    loop(state, work);
  });
}

void add_all() {
  struct Visit {
    const char* name;
    Layout layout;
    Order order;
  };
  constexpr Visit kVisits[] = {{"one", Layout::kEven, Order::kOne},
                               {"round_robin", Layout::kEven, Order::kRoundRobin},
                               {"random", Layout::kEven, Order::kRandom},
                               {"random_mixed", Layout::kMixed, Order::kRandom}};
  for (const Visit& visit : kVisits) {
    for (const std::size_t regions : {2u, 20u, 200u, 2000u, 20'000u}) {
      const std::string name = visit.name;
      add("read_" + name, regions, visit.layout, visit.order, "accessor", read_accessor);
      add("read_" + name, regions, visit.layout, visit.order, "raw", read_raw);
      add("read_" + name, regions, visit.layout, visit.order, "scan", read_scan);
      add("read_" + name, regions, visit.layout, visit.order, "get_tensor_data", read_api);
      add("write_" + name, regions, visit.layout, visit.order, "accessor", write_accessor);
      add("write_" + name, regions, visit.layout, visit.order, "raw", write_raw);
      add("write_" + name, regions, visit.layout, visit.order, "scan", write_scan);
    }
  }
  for (const std::size_t regions : {2u, 20u, 200u, 2000u, 20'000u}) {
    add("miss", regions, Layout::kEven, Order::kOne, "accessor", miss_accessor);
    add("miss", regions, Layout::kEven, Order::kOne, "scan", miss_scan);
    add("claim", regions, Layout::kMixed, Order::kOne, "accessor", claim_accessor<false>);
    add("first_access", regions, Layout::kMixed, Order::kOne, "accessor", claim_accessor<true>);
  }
}

}  // namespace
}  // namespace svmrt

int main(int argc, char** argv) {
  svmrt::add_all();
  return svmsim::run_rows(argc, argv);
}
