// SPDX-License-Identifier: Apache-2.0
#include "property_tests/picture.h"

#include <algorithm>

namespace svmsim {

using Kind = OperationKind;

bool Picture::has_claims(const Run& run) {
  return run.usable && std::any_of(run.claims.begin(), run.claims.end(), [](const Claim& c) { return c.made; });
}

std::optional<OperationKind> Picture::what_is_missing(OperationKind kind) const {
  if (down) return Kind::kRestart;
  const bool live = std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.live; });
  const bool full = std::all_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.live; });
  const bool usable = std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.usable; });
  switch (kind) {
    case Kind::kAllocate:
      return full ? std::optional(Kind::kFree) : std::nullopt;
    case Kind::kOpenRun:
      return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.open; })
                 ? std::optional(Kind::kEndRun)
                 : std::nullopt;
    case Kind::kRead:
    case Kind::kWrite:
      if (std::any_of(runs.begin(), runs.end(), has_claims)) return std::nullopt;
      return !live ? Kind::kAllocate : !usable ? Kind::kOpenRun : Kind::kClaim;
    case Kind::kClaim:
    case Kind::kRegister:
    case Kind::kUnregister:
    case Kind::kUpload:
    case Kind::kDownload:
    case Kind::kSetMemory:
    case Kind::kRace:
      return !live ? std::optional(Kind::kAllocate) : !usable ? std::optional(Kind::kOpenRun) : std::nullopt;
    case Kind::kFree:
    case Kind::kDeviceWrite:
    case Kind::kStrangerMaps:
    case Kind::kStrangerUnmaps:
    case Kind::kFork:
      return live ? std::nullopt : std::optional(Kind::kAllocate);
    case Kind::kCloseViews:
    case Kind::kEndRun:
      return usable ? std::nullopt : std::optional(Kind::kOpenRun);
    default:
      return std::nullopt;
  }
}

}  // namespace svmsim
