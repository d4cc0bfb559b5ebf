// SPDX-License-Identifier: Apache-2.0
// What a Model keeps: the runner with its machine, and which block each slot holds. Part of the Model. Thread-bound.
#pragma once

#include <array>
#include <cstdint>

#include "property_tests/model.h"
#include "property_tests/model_run.h"
#include "property_tests/model_runner.h"
#include "property_tests/operation.h"

namespace svmsim {

struct Model::State {
  struct Slot {
    svmrt::DeviceAddr base;  // of the block it holds, or last held; null: never held one
    std::uint64_t block = 0;
  };

  State(const ScenarioPlatform& platform, svmrt::Policy model_policy)
      : runner(platform, model_policy), policy(model_policy) {}

  ModelRunner runner;
  svmrt::Policy policy;
  std::array<Slot, kSlots> slots;

  [[nodiscard]] bool is_known(std::uint8_t slot) const { return slot < kSlots && !slots.at(slot).base.is_null(); }
  [[nodiscard]] bool is_open(std::uint8_t run) const { return run < kRuns && runner.is_open(run); }
  [[nodiscard]] bool can_call(std::uint8_t run) const { return run == kRunner || is_open(run); }
  [[nodiscard]] const ModelBlock* block_of(std::uint8_t slot) const {
    return slot < kSlots ? runner.find(slots.at(slot).block) : nullptr;
  }
  [[nodiscard]] ModelBlock* block_of(std::uint8_t slot) { return runner.find(slots.at(slot).block); }
  // Precondition: is_known. Wraps at 2^64.
  [[nodiscard]] svmrt::DeviceAddr address_of(const Operation& operation) const {
    return slots.at(operation.slot).base + svmrt::Bytes(operation.offset);
  }
  [[nodiscard]] ModelRun* caller(std::uint8_t run) { return run == kRunner ? nullptr : &runner.run(run); }

  // Whether the span lies in the block that the slot holds.
  [[nodiscard]] bool in_own_block(const Operation& operation) const {
    const ModelBlock* const block = block_of(operation.slot);
    return block != nullptr && operation.offset <= block->size.count() &&
           operation.size <= block->size.count() - operation.offset;
  }
  // The live block that the span lies in, whichever slot holds it.
  [[nodiscard]] const ModelBlock* block_around(const Operation& operation) const {
    const ModelBlock* const block = runner.owner_of(address_of(operation));
    const bool inside = block != nullptr && svmrt::span_inside(address_of(operation), svmrt::Bytes(operation.size),
                                                               block->base, block->size);
    return inside ? block : nullptr;
  }

  [[nodiscard]] bool free_applies(const Operation& operation) const;
  [[nodiscard]] bool claim_applies(const Operation& operation) const;
  [[nodiscard]] bool access_applies(const Operation& operation) const;
  [[nodiscard]] bool stranger_applies(const Operation& operation) const;
  [[nodiscard]] bool race_applies(const Operation& operation) const;
  [[nodiscard]] bool applies(const Operation& operation) const;

  Outcome allocate(const Operation& operation, const MachineFacts& facts);
  Outcome claim(const Operation& operation);
  Expected download(const Operation& operation);
  Outcome race(const Operation& operation);
  void device_write(const Operation& operation);
  Expected apply(const Operation& operation, const MachineFacts& facts);
};

}  // namespace svmsim
