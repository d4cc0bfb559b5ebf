// SPDX-License-Identifier: Apache-2.0
// What `svmsim calibrate` prints. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/board_points.h"
#include "sim/cost/calibration.h"
#include "sim/cost/calibration_fit.h"
#include "sim/output/json_document.h"

namespace svmsim {

// Where the points are from: one of the first two is there.
struct PointsSubject {
  std::optional<std::string> file;
  std::optional<BoardPoints> measured;
  std::optional<std::string> saved;        // the file that measured points were written to
  std::optional<std::string> process_end;  // how the process that measured them ended, if not well
};

// `base` and `output`: the calibration that completes the fit, by name, and the file that was written.
[[nodiscard]] Json fit_json(const PointsSubject& subject, const FittedCalibration& fitted,
                            const std::optional<std::string>& base, const std::optional<std::string>& output);
[[nodiscard]] std::string fit_text(const PointsSubject& subject, const FittedCalibration& fitted,
                                   const std::optional<std::string>& output);

// `points` have their residuals against `calibration`; `map_cost` says what its prices of mapping are to them.
[[nodiscard]] Json distance_json(const PointsSubject& subject, const Calibration& points,
                                 const Calibration& calibration, std::string_view map_cost);
[[nodiscard]] std::string distance_text(const PointsSubject& subject, const Calibration& points,
                                        const Calibration& calibration, std::string_view map_cost);

}  // namespace svmsim
