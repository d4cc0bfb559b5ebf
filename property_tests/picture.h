// SPDX-License-Identifier: Apache-2.0
// What a generator believes of the scenario that it draws: just good enough to make most operations meaningful. Value
// type, thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "property_tests/operation.h"

namespace svmsim {

struct Picture {
  struct Slot {
    bool live = false;
    std::uint64_t size = 0;
  };
  struct Claim {
    bool made = false;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  struct Run {
    bool usable = false;  // open, and its host views not closed
    bool open = false;
    std::array<Claim, kSlots> claims{};  // the last of each slot
  };
  std::array<Slot, kSlots> slots{};
  std::array<Run, kRuns> runs{};
  bool down = false;  // finalized, or without a device

  // Whether an access of the run could reach a region.
  [[nodiscard]] static bool has_claims(const Run& run);
  // What must come first for an operation of this kind to mean anything.
  [[nodiscard]] std::optional<OperationKind> what_is_missing(OperationKind kind) const;
};

}  // namespace svmsim
