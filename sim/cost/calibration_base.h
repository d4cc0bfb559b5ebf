// SPDX-License-Identifier: Apache-2.0
// Completes a fitted calibration by another one, so that a platform can be priced by it. Pure function, thread-safe.
#pragma once

#include "sim/cost/calibration.h"
#include "sim/cost/calibration_fit.h"

namespace svmsim {

// `fitted` with the value that `base` has for every parameter that the points do not determine, the reason of each
// saying so; residuals are those of the result. Terms of mapping are taken of a base that was measured on the same
// driver, and where `fitted` has no point of mapping, on the same pages too: otherwise a prediction would look like a
// measurement.
[[nodiscard]] FittedCalibration with_base(FittedCalibration fitted, const Calibration& base);

}  // namespace svmsim
