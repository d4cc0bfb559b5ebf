// SPDX-License-Identifier: Apache-2.0
// What an oracle knows of one run, from run_began() on: also after its bind, until its timeline is another run's.
// Blocks go by MappingBooks::Block::life, since an address may be handed out again while the run is open. Value types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/machine/call_record.h"

namespace svmsim {

struct DeviceSpan {
  svmrt::DeviceAddr base;
  svmrt::Bytes size;
  [[nodiscard]] bool is_inside(svmrt::DeviceAddr outer, svmrt::Bytes outer_size) const {
    return svmrt::span_inside(base, size, outer, outer_size);
  }
};

// A child-memory argument.
struct Claim {
  DeviceSpan span;
  bool by_copy = false;  // the run settled that it has no view: its accesses make copies
  [[nodiscard]] bool covers(const DeviceSpan& access) const { return access.is_inside(span.base, span.size); }
};

struct OpenRun {
  bool bound = false;        // its bind ended: it holds no views
  bool device_lost = false;  // while it was open
  std::vector<Claim> claims;
  std::optional<DeviceSpan> access;        // the one under way
  std::optional<svmrt::DeviceAddr> asked;  // base of the register by hand that the program asks for now

  std::vector<CallRecord> copies_of_access;  // on its timeline, since the access began
  std::uint64_t copies_expected = 0;         // accesses that had no view
  svmrt::Picoseconds present;                // of its timeline
  svmrt::Picoseconds spent;                  // costs of its calls and waits for the driver
  svmrt::Picoseconds spent_by_strangers;     // the part of `spent` that went to calls of strangers

  std::set<std::uint64_t> accessed;             // blocks reached by an access that succeeded
  std::set<std::uint64_t> copied;               // blocks reached by a device copy, a failed one too
  std::set<std::uint64_t> without_room;         // blocks for which the budget had no room when the run reached them
  std::set<std::uint64_t> failed;               // blocks whose register failed on its timeline
  std::set<std::uint64_t> asked_for;            // blocks registered by hand, or tried to
  std::set<std::uint64_t> tried;                // blocks that a register call on its timeline named, failed or not
  std::map<std::uint64_t, std::uint64_t> maps;  // successful ones among them that were not asked for

  [[nodiscard]] bool uses_inside(svmrt::DeviceAddr base, svmrt::Bytes size) const {
    return (access && access->is_inside(base, size)) || asked == base;
  }
  [[nodiscard]] bool claims_inside(svmrt::DeviceAddr base, svmrt::Bytes size) const {
    return std::any_of(claims.begin(), claims.end(), [&](const Claim& c) { return c.span.is_inside(base, size); });
  }
  // For every claim inside the span.
  void settle_by_copy(svmrt::DeviceAddr base, svmrt::Bytes size) {
    for (Claim& claim : claims) claim.by_copy = claim.by_copy || claim.span.is_inside(base, size);
  }
  [[nodiscard]] bool claims_whole(const DeviceSpan& span) const {
    return std::any_of(claims.begin(), claims.end(), [&](const Claim& c) { return c.covers(span); });
  }
  [[nodiscard]] bool claim_goes_by_copy(const DeviceSpan& span) const {
    return std::any_of(claims.begin(), claims.end(), [&](const Claim& c) { return c.by_copy && c.covers(span); });
  }
};

// By timeline.
using OpenRuns = std::map<svmrt::TimelineId, OpenRun>;

}  // namespace svmsim
