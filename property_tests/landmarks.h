// SPDX-License-Identifier: Apache-2.0
// Finds the landmarks that an operation came through, from what can be seen of it. Owned by a harness; thread-bound.
#pragma once

#include <array>
#include <map>
#include <set>

#include "property_tests/coverage.h"
#include "property_tests/harness.h"
#include "runtime/policy.h"

namespace svmsim {

class LandmarkFinder {
 public:
  // `coverage` is borrowed.
  LandmarkFinder(svmrt::Policy policy, Coverage& coverage) : policy_(policy), coverage_(coverage) {}

  void note(const StepReport& report);

 private:
  void note_calls(const StepReport& report);
  void note_memory(const StepReport& report);
  void note_access(const StepReport& report);
  void note_runner(const StepReport& report);

  const svmrt::Policy policy_;
  Coverage& coverage_;
  Snapshot before_;
  std::map<svmrt::DeviceAddr, std::uint64_t> maps_of_block_;  // since it was allocated
  std::set<svmrt::DeviceAddr> addresses_seen_;
  std::array<std::set<std::uint8_t>, kRuns> slots_viewed_;  // by each open run
};

}  // namespace svmsim
