// SPDX-License-Identifier: Apache-2.0
// A test whose body is an orchestration: the public functions are bound to an Orchestrator over a fake device.
// Thread-bound.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/orchestration/api/pto_orchestration_api.h"
#include "runtime/orchestration/orchestrator.h"
#include "runtime/orchestration/testing/fake_device.h"
#include "runtime/tensor_access.h"

namespace svmrt::testing {

class OrchestratorTestBase : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kHeap = 0x12c000000000;     // the runtime heap, 1 MiB in the default configuration
  static constexpr std::uint64_t kDevice = 0x12d000000000;   // 4 KiB of device memory
  static constexpr std::uint64_t kUnknown = 0x12e000000000;  // nobody's

  OrchestratorTestBase() { start(default_config()); }
  ~OrchestratorTestBase() override { pto2_bind_orchestration(nullptr, nullptr); }

  static OrchestratorConfig default_config() {
    OrchestratorConfig config;
    config.heap_base = DeviceAddr(kHeap);
    config.heap_size = Bytes(std::uint64_t{1} << 20);
    config.cluster_count = 24;
    config.aiv_count = 48;
    return config;
  }

  // A fresh orchestrator, bound to this thread. Its log lines go to log_lines.
  void start(OrchestratorConfig config) {
    config.log = [this](Pto2LogLevel level, std::string_view line) { log_lines.emplace_back(level, line); };
    orchestrator = std::make_unique<Orchestrator>(access, std::move(config));
    pto2_bind_orchestration(&orchestrator->ops(), orchestrator->context());
  }

  // A row-major tensor of floats at a device address.
  static ChipTensor floats(std::uint64_t address, std::vector<std::uint32_t> shapes) {
    return typed(address, std::move(shapes), DataType::FLOAT32);
  }
  static ChipTensor typed(std::uint64_t address, std::vector<std::uint32_t> shapes, DataType dtype) {
    return make_tensor_external(reinterpret_cast<void*>(address), shapes.data(),
                                static_cast<std::uint32_t>(shapes.size()), dtype);
  }

  // Submits of one kernel with one tensor each.
  static PTO2TaskId submit_input(const ChipTensor& tensor) {
    CoreTaskArgs args;
    args.add_input(tensor);
    return rt_submit_aiv_task(0, args).task_id();
  }
  static PTO2TaskId submit_inout(const ChipTensor& tensor) {
    CoreTaskArgs args;
    args.add_inout(tensor);
    return rt_submit_aiv_task(0, args).task_id();
  }
  static PTO2TaskId submit_output(const ChipTensor& tensor) {
    CoreTaskArgs args;
    args.add_output(tensor);
    return rt_submit_aiv_task(0, args).task_id();
  }

  [[nodiscard]] std::vector<std::uint32_t> predecessors(PTO2TaskId id) const {
    const auto edges = orchestrator->graph().predecessors(task(id));
    return {edges.begin(), edges.end()};
  }
  [[nodiscard]] const TaskRecord& task(PTO2TaskId id) const { return orchestrator->graph().tasks()[id.local()]; }

  FakeDevice device{DeviceAddr(kDevice), Bytes(4096)};
  TensorAccess access{device.api()};
  std::unique_ptr<Orchestrator> orchestrator;
  std::vector<std::pair<Pto2LogLevel, std::string>> log_lines;
};

using Edges = std::vector<std::uint32_t>;

}  // namespace svmrt::testing
