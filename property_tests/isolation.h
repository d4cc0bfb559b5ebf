// SPDX-License-Identifier: Apache-2.0
// Judges scenarios in a child process and brings the results back through shared memory, so that a scenario that kills
// its process loses nothing but itself. Thread-bound; the process must have no other threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "property_tests/campaign.h"

namespace svmsim {

// What one child came to.
struct BatchResult {
  std::uint64_t judged = 0;  // the failing one included
  std::uint64_t operations = 0;
  Coverage coverage;
  std::uint64_t digest = 0;        // sum over the cases
  std::optional<Failure> failure;  // of the case at `indices[judged - 1]`
  std::string error;
};

// Judges the cases of these indices, in order, until one fails.
[[nodiscard]] BatchResult judge_batch(const std::vector<std::uint64_t>& indices, const Drawer& draw,
                                      const Judge& judge);
// The same in a child process.
[[nodiscard]] BatchResult judge_batch_isolated(const std::vector<std::uint64_t>& indices, const Drawer& draw,
                                               const Judge& judge, unsigned hang_seconds);

}  // namespace svmsim
