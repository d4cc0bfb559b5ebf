// SPDX-License-Identifier: Apache-2.0
// The time of a board. A simulated driver keeps its own: `uint64_t svmsim_now_ns(void)` of its libascend_hal.so, which
// calls advance and nothing else does. A real one has no such function, and the system's clock counts.
#pragma once

#include <string>

#include "onboard/monotonic_clock.h"

namespace svmsim {

struct DriverClock {
  Clock clock;
  bool simulated = false;
};

// Loads the library, as dlopen takes it; where that fails, the time is the system's.
[[nodiscard]] DriverClock driver_clock(const std::string& hal_library);

}  // namespace svmsim
