// SPDX-License-Identifier: Apache-2.0
// The runtime's executor port on simulated cores: dispatches a finished graph, has each task take effect on the bytes
// of the machine, and occupies the device for launch overhead plus makespan. Borrows the machine. Thread-safe as
// long as concurrent graphs use disjoint memory.
#pragma once

#include <functional>
#include <span>

#include "runtime/executor.h"
#include "sim/device/kernel_mode.h"
#include "sim/device/kernel_table.h"
#include "sim/device/list_scheduler.h"
#include "sim/machine/machine.h"

namespace svmsim {

struct DeviceConfig {
  KernelTable kernels;
  KernelMode mode = KernelMode::kDigest;
  // Told after each launch what ran on which core; `begin` is time 0 of the spans, the end of the launch overhead. May
  // be empty, which saves collecting them.
  std::function<void(svmrt::Picoseconds begin, std::span<const CoreSpan> spans)> on_launched;
};

class SimulatedDevice final : public svmrt::Executor {
 public:
  SimulatedDevice(Machine& machine, DeviceConfig config) : machine_(machine), config_(std::move(config)) {}

  // kOutOfBounds names the task and what it has against its tensors; nothing after that task takes effect.
  [[nodiscard]] svmrt::Result<svmrt::ExecutionReport> execute(TimelineId timeline,
                                                              const svmrt::TaskGraph& graph) override;

 private:
  Machine& machine_;
  DeviceConfig config_;
};

}  // namespace svmsim
