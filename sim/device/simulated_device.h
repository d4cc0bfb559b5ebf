// SPDX-License-Identifier: Apache-2.0
// The runtime's executor port on simulated cores: schedules a finished graph, runs the digest kernel of each task in
// dispatch order, and occupies the device for launch overhead plus makespan. Borrows the machine. Thread-safe as
// long as concurrent graphs use disjoint memory.
#pragma once

#include "runtime/executor.h"
#include "sim/device/kernel_table.h"
#include "sim/machine/machine.h"

namespace svmsim {

class SimulatedDevice final : public svmrt::Executor {
 public:
  SimulatedDevice(Machine& machine, KernelTable kernels) : machine_(machine), kernels_(std::move(kernels)) {}

  [[nodiscard]] svmrt::Result<svmrt::ExecutionReport> execute(TimelineId timeline,
                                                              const svmrt::TaskGraph& graph) override;

 private:
  Machine& machine_;
  KernelTable kernels_;
};

}  // namespace svmsim
