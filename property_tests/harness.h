// SPDX-License-Identifier: Apache-2.0
// Carries a scenario out: a machine, a runner on it, the oracle watching, the model beside it. After every operation
// the answer, the bytes and everything that can be seen must be what the model says. Thread-bound; a scenario with a
// race starts threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "property_tests/coverage.h"
#include "property_tests/scenario.h"
#include "property_tests/snapshot.h"
#include "sim/machine/call_record.h"

namespace svmsim {

struct Failure {
  // A rule of the oracle ("I1" to "I8"), or what differs from the model: "answer", "bytes", "memory", "mapped", "held",
  // "statistics", "failures", "quarantine", "time"; "fork", "race"; or "crash" where a process of its own died.
  std::string property;
  // Index; the number of operations: after the last one, when everything was torn down; the largest number: unknown,
  // because the process died.
  std::size_t operation = 0;
  std::string message;
  bool operator==(const Failure&) const = default;
};
// "I2 at operation 7: …", also for what a test prints of a failure that it did not expect.
std::ostream& operator<<(std::ostream& out, const Failure& failure);

// One operation as it happened, for a readable trace.
struct StepReport {
  std::size_t index = 0;
  Operation operation;  // for the tear-down at the end, a kFinalize that is not in the scenario
  Outcome outcome;
  std::vector<bool> known;        // which of outcome.bytes somebody ever wrote; the others may be anything
  svmrt::DeviceAddr slice_base;   // of the machine: traces show addresses relative to it
  bool arrived_mapped = false;    // a page of an allocation was mapped already, by a stranger
  std::vector<CallRecord> calls;  // of the driver
  Snapshot after;
};

struct ScenarioResult {
  std::optional<Failure> failure;  // the first one; the scenario stops there
  std::size_t operations = 0;      // carried out, skipped ones included
  Coverage coverage;
  std::uint64_t digest = 0;  // of every answer and every driver call
  std::string error;         // the scenario cannot be run at all (unknown platform, no address space); empty otherwise
};

// `on_step` may be empty. It is called for each operation that was carried out, a failing one too.
[[nodiscard]] ScenarioResult run_scenario(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                          const std::function<void(const StepReport&)>& on_step = {});

}  // namespace svmsim
