// SPDX-License-Identifier: Apache-2.0
// What a generator draws once per case: platform, policy, reuse mode and backing of the scenario, sizes of blocks, and
// which kinds of operation come how often. Value type, thread-compatible.
#pragma once

#include <array>
#include <cstdint>

#include "property_tests/dice.h"
#include "property_tests/generator.h"

namespace svmsim {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// aclrtMalloc adds 32 bytes, and above 1 MiB of that a block lies on huge pages (P4).
inline constexpr std::uint64_t kLargestOrdinary = kMiB - 32;
// Block sizes on both sides of every boundary between pages, page kinds and segments.
extern const std::array<std::uint64_t, 18> kSizes;

struct CaseSetting {
  std::array<std::uint64_t, 3> palette{};                // most blocks have one of these sizes
  std::array<std::uint32_t, kOperationKinds> weights{};  // by kind; 0: left out
};

// Also fills in the scenario's setting.
[[nodiscard]] CaseSetting draw_setting(const ScenarioPlatforms& platforms, const DrawOptions& options, Dice& dice,
                                       Scenario& scenario);

}  // namespace svmsim
