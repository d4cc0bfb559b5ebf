// SPDX-License-Identifier: Apache-2.0
// A model with small invented prices, and a machine that is nothing but addresses: for tests of the model.
// Thread-bound.
#pragma once

#include <cstdint>

#include "property_tests/model.h"

namespace svmsim::bench {

inline constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kFirstAddress = 0x12c000000000;
inline constexpr std::uint64_t kStride = 64 * kMib;  // between the blocks that it hands out

// Map 1000 + 10 per page of the block + 1 per page of the host, unmap 500 + 20 + 2; copy from the device 100 + 1 per
// byte, to it 200 + 2 per byte, set 50 + 1 per byte; allocate 7, free 3; load 11, store 13.
inline ScenarioPlatform platform(Personality personality = Personality::kV2, std::uint64_t host_page = 4096) {
  CostParameters prices;
  prices.register_to_host = {Picoseconds(1000), Picoseconds(10), Picoseconds(1)};
  prices.unregister_from_host = {Picoseconds(500), Picoseconds(20), Picoseconds(2)};
  prices.copy_from_device = {Picoseconds(100), Picoseconds(kMib)};
  prices.copy_to_device = {Picoseconds(200), Picoseconds(2 * kMib)};
  prices.set_memory = {Picoseconds(50), Picoseconds(kMib)};
  prices.allocate = Picoseconds(7);
  prices.free = Picoseconds(3);
  prices.view_load = Picoseconds(11);
  prices.view_store = Picoseconds(13);
  ScenarioPlatform platform;
  platform.platform.personality = personality;
  platform.platform.host_page = svmrt::Bytes(host_page);
  platform.platform.hbm = kScenarioHbm;
  platform.cost = CostModel(prices);
  return platform;
}

// An allocation came here.
inline MachineFacts at(std::uint64_t address) {
  MachineFacts facts;
  facts.address = svmrt::DeviceAddr(address);
  return facts;
}
inline MachineFacts arrived_mapped() {
  MachineFacts facts;
  facts.arrived_mapped = true;
  return facts;
}
inline MachineFacts stranger(bool maps, std::uint64_t time = 0) {
  MachineFacts facts;
  facts.stranger_mapped = maps;
  facts.stranger_time = Picoseconds(time);
  return facts;
}

class Bench {
 public:
  explicit Bench(const ScenarioPlatform& on = platform(), svmrt::Policy policy = svmrt::Policy::kCached)
      : model(on, policy) {}

  // kSkipped when it does not apply. An allocate gets the next address unless `facts` names one.
  Model::Expected expected(const Operation& operation, MachineFacts facts = {}) {
    if (!model.applies(operation)) return {};
    if (operation.kind == OperationKind::kAllocate && facts.address.is_null()) {
      facts.address = svmrt::DeviceAddr(next_);
      next_ += kStride;
    }
    return model.apply(operation, facts);
  }
  Outcome does(const Operation& operation, const MachineFacts& facts = {}) {
    return expected(operation, facts).outcome;
  }
  Answer answers(const Operation& operation, const MachineFacts& facts = {}) { return does(operation, facts).answer; }

  Answer allocate(std::uint8_t slot, std::uint64_t size, std::uint8_t run = kRunner) {
    return answers({.kind = OperationKind::kAllocate, .slot = slot, .run = run, .size = size});
  }
  Answer free(std::uint8_t slot, std::uint64_t offset = 0, std::uint8_t run = kRunner) {
    return answers({.kind = OperationKind::kFree, .slot = slot, .run = run, .offset = offset});
  }
  Answer open(std::uint8_t run) { return answers({.kind = OperationKind::kOpenRun, .run = run}); }
  Answer close(std::uint8_t run) { return answers({.kind = OperationKind::kCloseViews, .run = run}); }
  Answer end(std::uint8_t run) { return answers({.kind = OperationKind::kEndRun, .run = run}); }
  Answer claim(std::uint8_t run, std::uint8_t slot, std::uint64_t offset, std::uint64_t size,
               RegionKind region = RegionKind::kChildMemory) {
    return answers(
        {.kind = OperationKind::kClaim, .slot = slot, .run = run, .region = region, .offset = offset, .size = size});
  }
  Answer read(std::uint8_t run, std::uint8_t slot, std::uint64_t offset = 0, std::uint64_t size = 8) {
    return answers({.kind = OperationKind::kRead, .slot = slot, .run = run, .offset = offset, .size = size});
  }
  Answer write(std::uint8_t run, std::uint8_t slot, std::uint64_t offset = 0, std::uint64_t size = 8,
               std::uint64_t value = 1) {
    return answers(
        {.kind = OperationKind::kWrite, .slot = slot, .run = run, .offset = offset, .size = size, .value = value});
  }
  Answer map(std::uint8_t run, std::uint8_t slot, std::uint64_t size = 8, std::uint64_t offset = 0) {
    return answers({.kind = OperationKind::kRegister, .slot = slot, .run = run, .offset = offset, .size = size});
  }
  Answer unmap(std::uint8_t run, std::uint8_t slot) {
    return answers({.kind = OperationKind::kUnregister, .slot = slot, .run = run});
  }
  Answer fail(CallKind call, svmrt::DriverCode code = svmrt::DriverCode::kIoctlFail) {
    return answers({.kind = OperationKind::kFailNext, .call = call, .code = code});
  }
  Answer finalize() { return answers({.kind = OperationKind::kFinalize}); }
  Answer restart() { return answers({.kind = OperationKind::kRestart}); }
  Answer lose() { return answers({.kind = OperationKind::kLoseDevice}); }

  [[nodiscard]] std::uint64_t runner_now() const { return model.snapshot().runner_now.count(); }
  [[nodiscard]] std::uint64_t run_now(std::size_t run) const { return model.snapshot().runs.at(run)->now.count(); }
  [[nodiscard]] std::uint64_t mapped() const { return model.snapshot().mapped.size(); }

  Model model;

 private:
  std::uint64_t next_ = kFirstAddress;
};

}  // namespace svmsim::bench
