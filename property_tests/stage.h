// SPDX-License-Identifier: Apache-2.0
// The real thing: a simulated machine, a device runner on it and its open runs, driven by operations, with the oracle
// told of what it cannot see. Knows nothing of the model. Thread-bound, but for the second thread of a race.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "property_tests/interposed_driver.h"
#include "property_tests/model.h"
#include "property_tests/operation.h"
#include "property_tests/scenario.h"
#include "property_tests/snapshot.h"
#include "runtime/device_runner.h"
#include "runtime/run_context.h"
#include "runtime/tensor_access.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/oracle/oracle.h"

namespace svmsim {

class Stage {
 public:
  // `machine` is new and outlives the stage.
  Stage(Machine& machine, svmrt::Policy policy);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

  struct Performed {
    Outcome outcome;
    MachineFacts facts;
  };
  // Carries out an operation that applies. The oracle is told of a read or write only when it reaches child memory.
  [[nodiscard]] Performed perform(const Operation& operation, bool reaches_child_memory);
  // Ends every open run in order of number, finalizes the runner if nobody did, and tells the oracle.
  void tear_down();

  [[nodiscard]] Snapshot snapshot();
  [[nodiscard]] const std::vector<Violation>& violations() const { return oracle_.violations(); }
  // What the block of a slot holds now; null when the slot is not live.
  [[nodiscard]] const std::byte* memory(std::uint8_t slot) const;

 private:
  struct Slot {
    bool live = false;
    bool ever = false;
    DeviceAddr base;  // of the live block, or of the last one
    Bytes size;
  };
  struct Run {
    explicit Run(std::unique_ptr<svmrt::RunContext> opened) : context(std::move(opened)) {
      access.emplace(&context->api());
    }
    std::unique_ptr<svmrt::RunContext> context;
    std::optional<svmrt::TensorAccess> access;
    std::vector<std::unique_ptr<std::vector<std::byte>>> staged;
    svmrt::Picoseconds began;
    bool bind_ended = false;
  };

  [[nodiscard]] Performed allocate(const Operation& operation);
  [[nodiscard]] Outcome free(const Operation& operation);
  [[nodiscard]] Outcome open_run(const Operation& operation);
  [[nodiscard]] Outcome claim(const Operation& operation);
  [[nodiscard]] Outcome read(const Operation& operation, bool tell_oracle);
  [[nodiscard]] Outcome write(const Operation& operation, bool tell_oracle);
  [[nodiscard]] Outcome close_views(Run& run);
  [[nodiscard]] Outcome end_run(std::uint8_t number);
  [[nodiscard]] Outcome register_by_hand(const Operation& operation);
  [[nodiscard]] Outcome unregister_by_hand(const Operation& operation);
  [[nodiscard]] Outcome copy(const Operation& operation);
  [[nodiscard]] Outcome device_write(const Operation& operation);
  [[nodiscard]] Performed stranger(const Operation& operation);
  [[nodiscard]] Outcome finalize();
  [[nodiscard]] Outcome restart();
  [[nodiscard]] Outcome lose_device();
  [[nodiscard]] Outcome fork(const Operation& operation);
  [[nodiscard]] Outcome race(const Operation& operation);

  [[nodiscard]] Run& run(std::uint8_t number) { return *runs_[number]; }
  [[nodiscard]] DeviceAddr address(const Operation& operation) const;
  void start_runner();
  void forget_freed_slots();
  void stranger_maps(DeviceAddr base, Bytes size);
  [[nodiscard]] bool any_mapped(DeviceAddr base, Bytes size) const;

  Machine& machine_;
  const svmrt::Policy policy_;
  RuntimeDriver bare_driver_;
  InterposedDriver driver_;
  Oracle oracle_;
  std::optional<svmrt::DeviceRunner> runner_;
  bool finalized_ = false;
  bool lost_ = false;
  std::array<Slot, kSlots> slots_;
  std::array<std::unique_ptr<Run>, kRuns> runs_;
  std::set<DeviceAddr> strangers_;  // starts of mappings that somebody else made
};

}  // namespace svmsim
