// SPDX-License-Identifier: Apache-2.0
// Where a board's time comes from. A Clock never goes backward and may be called by several threads at once.
#pragma once

#include <functional>

#include "runtime/units.h"

namespace svmsim {

using Clock = std::function<svmrt::Picoseconds()>;

// The system's monotonic clock, from 0 at this call: picoseconds since boot would not fit after 213 days.
[[nodiscard]] Clock monotonic_clock();

}  // namespace svmsim
