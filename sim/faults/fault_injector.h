// SPDX-License-Identifier: Apache-2.0
// Decides for each driver call of a machine, as it is made, whether it fails by the plan. Every fault counts and draws
// for itself, so that one more fault in a plan changes nothing about the others. Owned by the machine; thread-bound to
// its lock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/faults/fault_plan.h"
#include "sim/faults/random_stream.h"

namespace svmsim {

class FaultInjector {
 public:
  explicit FaultInjector(FaultPlan plan);

  // The next call of `kind`, a driver call, that no earlier fail_next() is waiting for fails with `code`, whatever the
  // plan says of it; the plan's own faults count that call as any other. Precondition: `code` is not kNone; aborts.
  void fail_next(CallKind kind, svmrt::DriverCode code);

  // To be asked once for each driver call, before the driver is: the code with which the call fails, or kNone when it
  // is the driver's. `offset` is the call's device address relative to the slice; absent for an allocate and for an
  // address outside the slice. When several faults hit, all count it and the first in the plan gives the code.
  [[nodiscard]] svmrt::DriverCode next_call(CallKind kind, std::optional<std::uint64_t> offset);

  [[nodiscard]] std::uint64_t failed_calls() const { return failed_calls_; }
  // Calls that each fault hit, in the order of the plan.
  [[nodiscard]] std::vector<std::uint64_t> hits() const;

 private:
  struct State {
    RandomStream stream;
    std::uint64_t hits = 0;
  };
  [[nodiscard]] bool strikes(const Fault& fault, State& state, CallKind kind, std::optional<std::uint64_t> offset);

  FaultPlan plan_;
  std::vector<State> states_;  // one per fault
  static constexpr auto kDriverCalls = static_cast<std::size_t>(CallKind::kCopyOnDevice) + 1;
  std::array<std::deque<svmrt::DriverCode>, kDriverCalls> waiting_;  // of fail_next(), first come first served
  std::array<std::uint64_t, kDriverCalls> calls_of_kind_{};
  std::uint64_t calls_ = 0;
  std::uint64_t failed_calls_ = 0;
};

}  // namespace svmsim
