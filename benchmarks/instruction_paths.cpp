// SPDX-License-Identifier: Apache-2.0
// Runs one path of the runtime or the simulator so many times, for a tool that counts the instructions inside
// measured(): see scripts/check-instructions. Everything it does is the same in every run.
// usage: instruction_paths PATH TIMES     instruction_paths: lists the paths
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "benchmarks/bind_rig.h"
#include "benchmarks/driver_rig.h"
#include "benchmarks/element_workload.h"
#include "runtime/allocation_map.h"
#include "runtime/orchestration/orchestrator.h"

namespace {

using svmrt::Layout;
using svmrt::Order;
using svmsim::DriverCode;
using svmsim::kRunnerTimeline;

// One operation; whether it did what it should.
using Operation = std::function<bool(std::size_t)>;

// The counted part: the operations and the loop around them.
[[gnu::noinline]] bool measured(const Operation& operation, std::size_t times) {
  bool fine = true;
  for (std::size_t i = 0; i < times; ++i) fine = operation(i) && fine;
  return fine;
}

bool repeat(const Operation& operation, std::size_t times) {
  // What happens only once, such as a first mapping, does so before anything is counted.
  for (std::size_t i = 0; i < 1024; ++i) {
    if (!operation(i)) return false;
  }
  return measured(operation, times);
}

bool loads(std::size_t regions, Layout layout, Order order, std::size_t times) {
  const svmrt::Workload work(regions, layout, order);
  const auto access = work.claimed();
  if (!access || access->resolve_all() != regions) return false;
  for (const svmrt::Region& region : work.regions()) {
    if (!access->load(svmrt::DeviceAddr(region.base), svmrt::Bytes(4)).ok()) return false;
  }
  return repeat([&](std::size_t i) { return access->load(svmrt::DeviceAddr(work.address(i)), svmrt::Bytes(4)).ok(); },
                times);
}

bool stores(std::size_t times) {
  const svmrt::Workload work(200, Layout::kEven, Order::kRandom);
  const auto access = work.claimed();
  if (!access || access->resolve_all() != 200) return false;
  return repeat(
      [&](std::size_t i) {
        return access->store(svmrt::DeviceAddr(work.address(i)), i, svmrt::Bytes(4)) == svmrt::AccessStatus::kOk;
      },
      times);
}

bool get_tensor_data_of_one(std::size_t times) {
  const svmrt::Workload work(20, Layout::kEven, Order::kOne);
  const auto access = work.claimed();
  if (!access) return false;
  svmrt::Orchestrator orchestrator(*access, svmrt::OrchestratorConfig{});
  const auto tensors = work.tensors();
  return repeat(
      [&](std::size_t i) {
        const ChipTensor& tensor = tensors[work.visited_region(i)];
        const auto index = static_cast<std::uint32_t>(work.address(i) - tensor.buffer.addr) / 4;
        orchestrator.ops().get_tensor_data(orchestrator.context(), &tensor, 1, &index);
        return !orchestrator.is_fatal();
      },
      times);
}

// Twenty regions: claimed, resolved, their index built, closed.
bool claim_and_first_access(std::size_t times) {
  const svmrt::Workload work(20, Layout::kMixed, Order::kOne);
  return repeat(
      [&](std::size_t) {
        svmrt::TensorAccess access(&work.api());
        bool fine = work.claim(access);
        for (const svmrt::Region& region : work.regions()) {
          fine = access.load(svmrt::DeviceAddr(region.base), svmrt::Bytes(4)).ok() && fine;
        }
        return fine;
      },
      times);
}

bool bind_of_twenty(std::size_t times) {
  svmsim::BindRig rig(20);
  return repeat([&](std::size_t) { return rig.bind_once(); }, times);
}

bool owner_among_thousand(std::size_t times) {
  constexpr std::uint64_t kLive = 1000;
  svmrt::AllocationMap allocations;
  for (std::uint64_t i = 1; i <= kLive; ++i) {
    if (!allocations.insert(svmrt::AllocationMap::make(svmrt::DeviceAddr(i << 20), svmrt::Bytes(4096)))) return false;
  }
  return repeat(
      [&](std::size_t i) {
        return allocations.owner_of(svmrt::DeviceAddr(((1 + i * 389 % kLive) << 20) + 100)) != nullptr;
      },
      times);
}

bool map_and_unmap(const svmsim::Setting& setting, std::size_t times) {
  svmsim::Rig rig(setting, 100, svmsim::kPage);
  if (!rig.is_ready()) return false;
  return repeat(
      [&](std::size_t) {
        const auto block = rig.next();
        return rig.driver().register_to_host(kRunnerTimeline, block, svmsim::kPage).code == DriverCode::kNone &&
               rig.driver().unregister_from_host(kRunnerTimeline, block) == DriverCode::kNone;
      },
      times);
}

bool allocate_and_free(std::size_t times) {
  svmsim::Rig rig(svmsim::kPlain, 100, svmsim::kPage);
  if (!rig.is_ready()) return false;
  return repeat(
      [&](std::size_t) {
        const auto block = rig.driver().allocate(kRunnerTimeline, svmsim::kPage).address;
        return rig.driver().free(kRunnerTimeline, block) == DriverCode::kNone;
      },
      times);
}

bool submit_in_a_chain(std::size_t times) {
  svmrt::TensorAccess access(nullptr);
  svmrt::OrchestratorConfig config;
  config.task_window = static_cast<std::uint32_t>(times) + 1025;
  config.tensor_map_entries = config.task_window;
  svmrt::Orchestrator orchestrator(access, config);
  const std::uint32_t shape[] = {16, 16};
  const ChipTensor tensor = make_tensor_external(reinterpret_cast<void*>(std::uintptr_t{1} << 40), shape, 2);
  pto2_bind_orchestration(&orchestrator.ops(), orchestrator.context());
  const bool fine = repeat(
      [&](std::size_t) {
        CoreTaskArgs args;
        args.add_inout(tensor);
        rt_submit_aiv_task(0, args);
        return !orchestrator.is_fatal();
      },
      times);
  pto2_bind_orchestration(nullptr, nullptr);
  return fine;
}

const std::map<std::string, std::function<bool(std::size_t)>>& paths() {
  static const std::map<std::string, std::function<bool(std::size_t)>> all = {
      {"load_one", [](std::size_t n) { return loads(20, Layout::kEven, Order::kOne, n); }},
      {"load_random_even", [](std::size_t n) { return loads(200, Layout::kEven, Order::kRandom, n); }},
      {"load_random_mixed", [](std::size_t n) { return loads(200, Layout::kMixed, Order::kRandom, n); }},
      {"store_random", stores},
      {"get_tensor_data", get_tensor_data_of_one},
      {"claim_and_first_access_of_20", claim_and_first_access},
      {"bind_of_20", bind_of_twenty},
      {"owner_among_1000", owner_among_thousand},
      {"map_and_unmap", [](std::size_t n) { return map_and_unmap(svmsim::kPlain, n); }},
      {"map_and_unmap_traced", [](std::size_t n) { return map_and_unmap(svmsim::kJsonLines, n); }},
      {"allocate_and_free", allocate_and_free},
      {"submit_in_a_chain", submit_in_a_chain},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const auto& [name, path] : paths()) fmt::print("{}\n", name);
    return 0;
  }
  const auto path = paths().find(argv[1]);
  const long times = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  if (path == paths().end() || times <= 0) {
    fmt::print(stderr, "usage: instruction_paths PATH TIMES, with a path of those that it lists without arguments\n");
    return 2;
  }
  if (path->second(static_cast<std::size_t>(times))) return 0;
  fmt::print(stderr, "instruction_paths: {} failed\n", path->first);
  return 1;
}
