// SPDX-License-Identifier: Apache-2.0
// Draws scenarios: case by case from a seed, so that any case can be drawn alone. Platform, policy, reuse mode and the
// part of the alphabet that is in use are drawn per case; the operations by weights that make the interesting states
// common (coverage.h), with sizes and offsets on both sides of each boundary. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "property_tests/scenario.h"

namespace svmsim {

struct DrawOptions {
  std::optional<std::string> platform;  // absent: drawn
  std::optional<svmrt::Policy> policy;  // absent: drawn
};

inline constexpr std::uint64_t kMostOperations = 100;

// Case `index` of `seed`: 1 to kMostOperations operations. `platforms` is not empty.
[[nodiscard]] Scenario draw_scenario(const ScenarioPlatforms& platforms, const DrawOptions& options, std::uint64_t seed,
                                     std::uint64_t index);

}  // namespace svmsim
