// SPDX-License-Identifier: Apache-2.0
// Finds the parameters of the cost model that come closest to a calibration's points, and says which parameters the
// points do not determine. Pure functions, thread-safe; the same points give the same answer.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/cost/calibration.h"
#include "sim/cost/relative_fit.h"

namespace svmsim {

// Terms: call, page of the block, host page.
[[nodiscard]] FitSample map_sample(PageWalk walk, Picoseconds time);
// Terms: latency, MiB.
[[nodiscard]] FitSample copy_sample(Bytes bytes, Picoseconds time);

// One parameter of the cost model, as in a calibration file without "_ps".
struct TermReport {
  std::string name;  // "register.host_page"
  Picoseconds value;
  Picoseconds uncertainty;  // two standard errors; 0 where nothing can be said
  bool determined = false;  // by the points
  std::string reason;       // why not; empty when it is
};

struct FittedCalibration {
  Calibration calibration;
  std::vector<TermReport> terms;  // every parameter, in the order of a calibration file
};

// `calibration` with its parameters fitted to its points, and the residual of each point. A copy direction whose own
// points do not determine both of its terms takes those of all copy points together, and setting memory the terms of a
// copy from the device. Parameters without points are kept. Fails, with a sentence for people, when a parameter is
// larger than a calibration may hold.
[[nodiscard]] tl::expected<FittedCalibration, std::string> fit_calibration(Calibration calibration);

// `calibration` with the leave-one-out error of each point: of the same fit without this point, at this point, in
// percent of its median. Only where each page kind, copy direction and view access among the points that are fitted
// together keeps two sizes (two sizes that walk the same pages are one), and where the rest determines what all did.
// Takes time that grows with the square of the points.
[[nodiscard]] Calibration leave_one_out(Calibration calibration);

// `calibration` with the residual of each point against its own parameters, which are kept.
[[nodiscard]] Calibration with_residuals(Calibration calibration);

}  // namespace svmsim
