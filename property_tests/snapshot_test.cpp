// SPDX-License-Identifier: Apache-2.0
// A comparison that overlooks a field would make every property weaker: each field alone must make a difference.
#include "property_tests/snapshot.h"

#include <gtest/gtest.h>

#include <functional>

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::Picoseconds;

struct Change {
  const char* property;
  std::function<void(Snapshot&)> make;
};

Snapshot with_a_run() {
  Snapshot snapshot;
  snapshot.runs[1].emplace();
  return snapshot;
}

TEST(SnapshotDifference, EqualOnesHaveNone) {
  EXPECT_EQ(difference(with_a_run(), with_a_run()).property, "");
  EXPECT_EQ(difference(with_a_run(), with_a_run()).message, "");
}

TEST(SnapshotDifference, EachFieldAloneIsNoticed) {
  const Snapshot::Block block{DeviceAddr(0x1000), Bytes(1)};
  const std::vector<Change> changes = {
      {"mapped", [&](Snapshot& s) { s.mapped.push_back(block); }},
      {"quarantine", [&](Snapshot& s) { s.quarantined.push_back(block); }},
      {"held", [](Snapshot& s) { s.held.count = 1; }},
      {"held", [](Snapshot& s) { s.held.bytes = Bytes(1); }},
      {"statistics", [](Snapshot& s) { s.live_blocks = 1; }},
      {"failures", [](Snapshot& s) { s.failures.allocate = 1; }},
      {"failures", [](Snapshot& s) { s.failures.free = 1; }},
      {"failures", [](Snapshot& s) { s.failures.register_to_host = 1; }},
      {"failures", [](Snapshot& s) { s.failures.unregister = 1; }},
      {"failures", [](Snapshot& s) { s.failures.copy = 1; }},
      {"statistics", [](Snapshot& s) { s.totals.established = 1; }},
      {"statistics", [](Snapshot& s) { s.totals.refused = 1; }},
      {"statistics", [](Snapshot& s) { s.totals.dropped = 1; }},
      {"time", [](Snapshot& s) { s.totals.map_time = Picoseconds(1); }},
      {"time", [](Snapshot& s) { s.totals.unmap_time = Picoseconds(1); }},
      {"statistics", [](Snapshot& s) { s.runs[0].emplace(); }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.accesses = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.device_copies = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.view_loads = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.view_stores = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.staged_writes = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.regions_with_view = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->accesses.bytes_with_view = Bytes(1); }},
      {"time", [](Snapshot& s) { s.runs[1]->accesses.copy_time = Picoseconds(1); }},
      {"time", [](Snapshot& s) { s.runs[1]->accesses.push_time = Picoseconds(1); }},
      {"statistics", [](Snapshot& s) { s.runs[1]->mappings.established = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->mappings.refused = 1; }},
      {"statistics", [](Snapshot& s) { s.runs[1]->mappings.dropped = 1; }},
      {"time", [](Snapshot& s) { s.runs[1]->mappings.map_time = Picoseconds(1); }},
      {"time", [](Snapshot& s) { s.runs[1]->mappings.unmap_time = Picoseconds(1); }},
      {"time", [](Snapshot& s) { s.runs[1]->now = Picoseconds(1); }},
      {"time", [](Snapshot& s) { s.runner_now = Picoseconds(1); }},
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Snapshot changed = with_a_run();
    changes[i].make(changed);
    EXPECT_EQ(difference(changed, with_a_run()).property, changes[i].property) << "change " << i;
  }
}

}  // namespace
}  // namespace svmsim
