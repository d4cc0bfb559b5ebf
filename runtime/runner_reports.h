// SPDX-License-Identifier: Apache-2.0
// What a DeviceRunner tells about itself: counters, what it holds, what went wrong. Value types,
// thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/driver_code.h"
#include "runtime/units.h"

namespace svmrt {

enum class LogLevel { kError, kWarn, kInfo, kDebug };
using LogSink = std::function<void(LogLevel, const std::string&)>;

// What the cache did for one run, or (DeviceRunner::totals) for all.
struct MappingStats {
  std::uint64_t established = 0;  // successful registers
  std::uint64_t refused = 0;      // registers that failed, with any code
  std::uint64_t dropped = 0;      // successful unregisters
  Picoseconds map_time;           // of every register call, failed ones too
  Picoseconds unmap_time;         // of every unregister call, failed ones too
};

// A mapping is held until its unregister is confirmed: one whose unregister failed still counts.
struct HeldMappings {
  std::uint64_t count = 0;
  Bytes bytes;  // requested bytes of the mapped allocations
};

// Failed driver calls by kind, all of them, so that a checker can tell whether a code was lost. A refused register
// counts here too.
struct DriverFailures {
  std::uint64_t allocate = 0;
  std::uint64_t free = 0;
  std::uint64_t register_to_host = 0;
  std::uint64_t unregister = 0;
  std::uint64_t copy = 0;  // both directions and set_memory
  [[nodiscard]] std::uint64_t total() const { return allocate + free + register_to_host + unregister + copy; }
};

// A block that the runner still holds because the driver did not confirm its unregister (or its free).
struct QuarantinedBlock {
  DeviceAddr base;
  Bytes size;
  DriverCode code = DriverCode::kNone;  // what the driver last said
  std::string reason;                   // "unregister failed: ", "free failed: " or "register gave no address: ",
                                        // with the code by name
};

struct FinalizeReport {
  std::uint64_t unmapped = 0;
  std::uint64_t freed = 0;
  std::vector<QuarantinedBlock> quarantined;  // what could not be unmapped or freed, in address order
};

}  // namespace svmrt
