// SPDX-License-Identifier: Apache-2.0
// A machine with device memory to make tensors of, for tests of what tasks do to it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/orchestration/task_graph.h"
#include "sim/machine/runtime_driver.h"
#include "sim/testing/test_machine.h"

namespace svmsim {

class DeviceFixture : public ::testing::Test {
 protected:
  DeviceFixture() : machine_(make_test_machine()), driver_(*machine_) {}

  DeviceAddr allocate(std::uint64_t bytes) {
    const auto allocated = driver_.allocate(svmrt::kRunnerTimeline, Bytes(bytes));
    EXPECT_EQ(allocated.code, DriverCode::kNone);
    return allocated.address;
  }

  static ChipTensor tensor(DeviceAddr at, std::vector<std::uint32_t> shape, DataType dtype = DataType::UINT8) {
    return make_tensor_external(reinterpret_cast<void*>(at.value()), shape.data(),
                                static_cast<std::uint32_t>(shape.size()), dtype);
  }

  std::vector<std::byte> bytes(DeviceAddr at, std::uint64_t size) {
    const std::byte* const begin = machine_->device_bytes(at, Bytes(size));
    return {begin, begin + size};
  }

  template <typename T>
  void put(DeviceAddr at, T value) {
    std::memcpy(machine_->device_bytes(at, Bytes(sizeof value)), &value, sizeof value);
  }

  std::unique_ptr<Machine> machine_;
  svmsim::RuntimeDriver driver_;
};

}  // namespace svmsim
