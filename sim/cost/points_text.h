// SPDX-License-Identifier: Apache-2.0
// Writes points as the CSV text that parse_points reads. Pure function, thread-safe.
#pragma once

#include <string>

#include "sim/cost/calibration.h"

namespace svmsim {

// The source, then every point in order; parameters and residuals are no part of it. Times are whole nanoseconds above
// 0. In the texts of the source, which are made printable, a comma becomes a semicolon.
[[nodiscard]] std::string points_text(const Calibration& points);

}  // namespace svmsim
