// SPDX-License-Identifier: Apache-2.0
#include "property_tests/coverage.h"

namespace svmsim {

namespace {

// In the order of the enum.
constexpr std::array<std::string_view, kLandmarks> kNames = {
    "mapped",
    "refused",
    "register_failed",
    "unregister_failed",
    "free_failed",
    "allocate_failed",
    "quarantined",
    "quarantine_released",
    "reused_address",
    "arrived_mapped",
    "interior_view",
    "straddling_span",
    "free_in_use",
    "free_unknown",
    "evicted",
    "over_budget",
    "overlapping_runs",
    "shared_view",
    "device_copy",
    "copy_failed",
    "view_access",
    "staged_write",
    "registered_by_hand",
    "mapped_again",
    "finalized_with_mappings",
    "finalized_quarantined",
    "restarted",
    "device_lost",
    "device_lost_in_run",
    "forked",
    "raced",
};

}  // namespace

std::string_view landmark_name(Landmark landmark) { return kNames[static_cast<std::size_t>(landmark)]; }

}  // namespace svmsim
