// SPDX-License-Identifier: Apache-2.0
// How often scenarios came through each state that is worth reaching, counted by the harness. A property that never
// reaches one proves nothing about it, so suites demand a floor for each. Value type, thread-compatible.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace svmsim {

enum class Landmark : std::uint8_t {
  kMapped,          // a register succeeded
  kRefused,         // a register was refused for good (65534)
  kRegisterFailed,  // a register failed otherwise
  kUnregisterFailed,
  kFreeFailed,
  kAllocateFailed,
  kQuarantined,         // an operation ended with a block in quarantine
  kQuarantineReleased,  // a quarantined block was freed after all
  kReusedAddress,       // an allocation came at an address that an earlier block had
  kArrivedMapped,       // an allocation came with a page already mapped
  kInteriorView,        // a view was used away from the start of its allocation
  kStraddlingSpan,      // an access began inside a region and ended outside
  kFreeInUse,           // a free was refused because a run used the view
  kFreeUnknown,         // a free of an interior or unknown address
  kEvicted,             // a budget dropped a mapping
  kOverBudget,          // a budget left an access without a view
  kOverlappingRuns,     // two runs held views at the same time
  kSharedView,          // two runs held the view of one allocation
  kDeviceCopy,          // an access was served by a copy
  kCopyFailed,
  kViewAccess,  // an access was served by a view
  kStagedWrite,
  kRegisteredByHand,
  kMappedAgain,  // an allocation was mapped a second time in its life
  kFinalizedWithMappings,
  kFinalizedQuarantined,  // finalize reported a block in quarantine
  kRestarted,
  kDeviceLost,
  kDeviceLostInRun,  // while a run was open
  kForked,
  kRaced,
};
inline constexpr std::size_t kLandmarks = static_cast<std::size_t>(Landmark::kRaced) + 1;
[[nodiscard]] std::string_view landmark_name(Landmark landmark);  // "mapped", "refused", …

struct Coverage {
  std::array<std::uint64_t, kLandmarks> hits{};

  void count(Landmark landmark) { ++hits[static_cast<std::size_t>(landmark)]; }
  [[nodiscard]] std::uint64_t of(Landmark landmark) const { return hits[static_cast<std::size_t>(landmark)]; }
  Coverage& operator+=(const Coverage& other) {
    for (std::size_t i = 0; i < kLandmarks; ++i) hits[i] += other.hits[i];
    return *this;
  }
  bool operator==(const Coverage&) const = default;
};

}  // namespace svmsim
