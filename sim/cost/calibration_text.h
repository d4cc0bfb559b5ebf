// SPDX-License-Identifier: Apache-2.0
// Writes a calibration as the TOML text that parse_calibration reads. Pure functions, thread-safe.
#pragma once

#include <string>

#include "sim/cost/calibration.h"
#include "sim/cost/calibration_fit.h"

namespace svmsim {

// What was fitted, under a name, ready to be a calibration file: every parameter that the points do not determine is an
// assumption.
[[nodiscard]] Calibration named_calibration(const FittedCalibration& fitted, const std::string& name);

// Its texts are UTF-8.
[[nodiscard]] std::string calibration_text(const Calibration& calibration);

}  // namespace svmsim
