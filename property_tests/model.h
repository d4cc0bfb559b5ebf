// SPDX-License-Identifier: Apache-2.0
// The reference model: what a correct runtime on a correct machine does with a scenario, in plain containers and
// without cleverness. It knows the rules, not the code: it shares nothing with runtime/ but value types and with sim/
// but the price list. What only the machine can decide (which address an allocation gets) it is told. Thread-bound.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "property_tests/model_driver.h"
#include "property_tests/scenario.h"
#include "property_tests/snapshot.h"

namespace svmsim {

// What the machine decided in an operation and the model cannot know.
struct MachineFacts {
  svmrt::DeviceAddr address;         // of a successful allocate
  bool arrived_mapped = false;       // that block: a page of it was already mapped, by a stranger
  bool stranger_mapped = false;      // kStrangerMaps, kStrangerUnmaps: there is such a mapping now
  svmrt::Picoseconds stranger_time;  // what a stranger's calls took, on the runner's timeline
};

class Model {
 public:
  Model(const ScenarioPlatform& platform, svmrt::Policy policy);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // False: the operation is to be skipped, by the rules in operation.h.
  [[nodiscard]] bool applies(const Operation& operation) const;
  // Whether a read or write goes to child memory, or to no region at all: what an observer of the driver has to be
  // told.
  [[nodiscard]] bool reaches_child_memory(const Operation& operation) const;
  // Carries an operation that applies out in the books; the answer that the runtime must give. Bytes that nobody ever
  // wrote are unknown: `known` of the answer says which must be equal.
  struct Expected {
    Outcome outcome;
    std::vector<bool> known;  // one per byte of outcome.bytes
  };
  [[nodiscard]] Expected apply(const Operation& operation, const MachineFacts& facts);

  // The runner is destroyed, as at the end of a scenario: every open run ends first, in order of number.
  void tear_down();

  [[nodiscard]] Snapshot snapshot() const;
  // What the block of a slot must hold, by offset: every byte that was ever written. Empty when the slot is not live.
  // Until the next call of apply or tear_down.
  [[nodiscard]] const ModelBytes& memory(std::uint8_t slot) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace svmsim
