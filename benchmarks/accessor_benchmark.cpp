// SPDX-License-Identifier: Apache-2.0
// Real time of element accesses through a TensorAccess whose regions all have a view. Beside each row stand, over the
// same addresses and in the same run: the raw load (a function that is not inlined, with the same subtraction and one
// load), and a linear scan over {base, size, view}.
//
// Names: operation/regions/who. An iteration is 16,384 accesses, as many as a bind of case1 makes; the next iteration
// makes other ones, because a branch predictor learns a random order that comes again.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/benchmark_main.h"
#include "runtime/orchestration/api/pto_orchestration_api.h"
#include "runtime/orchestration/orchestrator.h"
#include "runtime/tensor_access.h"

namespace svmrt {
namespace {

constexpr std::size_t kAccesses = 16'384;
constexpr std::size_t kOrders = 4;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kVisited = 256;  // bytes of a region
constexpr std::uint64_t kFirst = std::uint64_t{1} << 40;

enum class Layout {
  kEven,   // tensors of 256 bytes in a row, as in one allocation
  kMixed,  // 64 bytes to 64 KiB with gaps, each on its own host page, and among them one of 38 GiB
};
enum class Order { kOne, kRoundRobin, kRandom };

struct Region {
  std::uint64_t base;
  std::uint64_t size;
  std::byte* view;
};

// Regions, memory behind their first 4 KiB, and the element addresses that are visited.
class Workload {
 public:
  Workload(std::size_t count, Layout layout, Order order) : memory_(count * kPage, std::byte{1}) {
    std::mt19937_64 random(20'261'201);
    std::uint64_t next = kFirst;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t size = kVisited;
      std::uint64_t host = i * size;
      if (layout == Layout::kMixed) {
        size = i == count / 3 ? std::uint64_t{38} << 30 : std::uint64_t{64} << random() % 11;
        host = i * kPage;
        next += random() % 8 * kPage;
      }
      regions_.push_back({next, size, memory_.data() + host});
      next += size;
    }
    for (std::size_t i = 0; i < kOrders * kAccesses; ++i) {
      const std::size_t region = order == Order::kOne          ? count / 2
                                 : order == Order::kRoundRobin ? i % count
                                                               : random() % count;
      const std::uint64_t elements = std::min(regions_[region].size, kVisited) / 4;
      const std::uint64_t element = order == Order::kOne ? i % elements : random() % elements;
      visited_.push_back(&regions_[region]);
      addresses_.push_back(regions_[region].base + 4 * element);
    }
    api_.context = this;
    api_.acquire_child_memory_host_view = [](void* context, std::uint64_t device, std::uint64_t, void** view) {
      *view = static_cast<Workload*>(context)->view_of(device);
      return HostViewStatus::kMapped;
    };
    api_.other_producer = [](void*, std::uint64_t, std::uint64_t) { return std::uint64_t{0}; };
    api_.declarations = &declarations_;
  }

  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] const Region& visited(std::size_t i) const { return *visited_[i]; }
  [[nodiscard]] std::uint64_t address(std::size_t i) const { return addresses_[i]; }
  [[nodiscard]] bool claim(TensorAccess& access) const {
    bool added = true;
    for (const Region& region : regions_) {
      added = access.claim_child_memory(DeviceAddr(region.base), Bytes(region.size)) && added;
    }
    return added;
  }
  [[nodiscard]] std::unique_ptr<TensorAccess> claimed() const {
    auto access = std::make_unique<TensorAccess>(&api_);
    return claim(*access) ? std::move(access) : nullptr;
  }
  [[nodiscard]] const HostApi& api() const { return api_; }

 private:
  [[nodiscard]] std::byte* view_of(std::uint64_t device) const {
    const auto after =
        std::upper_bound(regions_.begin(), regions_.end(), device,
                         [](std::uint64_t address, const Region& region) { return address < region.base; });
    return std::prev(after)->view;
  }

  std::vector<std::byte> memory_;
  std::vector<Region> regions_;
  std::vector<const Region*> visited_;
  std::vector<std::uint64_t> addresses_;
  std::atomic<std::uint64_t> declarations_{0};
  HostApi api_;
};

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
  std::vector<ChipTensor> tensors;
  for (const Region& region : work.regions()) {
    const auto elements = static_cast<std::uint32_t>(std::min(region.size, kVisited) / 4);
    const auto address = static_cast<std::uintptr_t>(region.base);
    tensors.push_back(make_tensor_external(reinterpret_cast<void*>(address), &elements, 1, DataType::UINT32));
  }
  pto2_bind_orchestration(&orchestrator.ops(), orchestrator.context());
  each(state, [&](std::size_t i) {
    const ChipTensor& tensor = tensors[static_cast<std::size_t>(&work.visited(i) - work.regions().data())];
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
    for (const std::size_t regions : {2, 20, 200, 2000, 20'000}) {
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
  for (const std::size_t regions : {2, 20, 200, 2000, 20'000}) {
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
