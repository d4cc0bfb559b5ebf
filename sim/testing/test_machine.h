// SPDX-License-Identifier: Apache-2.0
// A small machine for tests: a v2 driver on a 4 KiB host with 1 GiB of HBM, and round figures for costs.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "sim/machine/machine.h"

namespace svmsim {

[[nodiscard]] inline CostParameters test_costs() {
  CostParameters costs;
  costs.register_to_host = {Picoseconds(1'000'000), Picoseconds(1'000), Picoseconds(10)};
  costs.unregister_from_host = {Picoseconds(2'000'000), Picoseconds(500), Picoseconds(20)};
  costs.copy_from_device = {Picoseconds(9'000'000), Picoseconds(1 << 20)};  // 1 ps a byte
  costs.copy_to_device = {Picoseconds(8'000'000), Picoseconds(1 << 20)};
  costs.set_memory = {Picoseconds(7'000'000), Picoseconds(0)};
  costs.allocate = Picoseconds(3'000);
  costs.free = Picoseconds(4'000);
  costs.view_load = Picoseconds(100);
  costs.view_store = Picoseconds(30);
  costs.launch = Picoseconds(50'000);
  return costs;
}

[[nodiscard]] inline Platform test_platform() {
  Platform platform;
  platform.name = "test";
  platform.hbm = Bytes(std::uint64_t{1} << 30);
  return platform;
}

[[nodiscard]] inline std::unique_ptr<Machine> make_test_machine(const Platform& platform = test_platform(),
                                                                const MachineOptions& options = {}) {
  auto machine = Machine::create(platform, CostModel(test_costs()), options);
  EXPECT_TRUE(machine.has_value()) << machine.error();
  return std::move(*machine);
}

}  // namespace svmsim
