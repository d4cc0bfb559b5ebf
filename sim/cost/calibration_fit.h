// SPDX-License-Identifier: Apache-2.0
// Finds the parameters of the cost model that come closest to measured points: least squares on the relative error of
// the medians, no parameter below zero. Pure functions, thread-safe; the same points give the same answer.
#pragma once

#include <span>
#include <string>
#include <tl/expected.hpp>

#include "sim/cost/calibration.h"
#include "sim/cost/cost_model.h"

namespace svmsim {

struct MapSample {
  PageWalk walk;
  Picoseconds time;  // above 0
};
struct CopySample {
  Bytes bytes;
  Picoseconds time;  // above 0
};

// Fails, with a sentence for people, when the samples leave a term undetermined: three need samples that differ in
// pages of the block and in host pages independently (ordinary and huge ones, two sizes of either), two need two
// sizes.
[[nodiscard]] tl::expected<MapTerms, std::string> fit_map_terms(std::span<const MapSample> samples);
[[nodiscard]] tl::expected<CopyTerms, std::string> fit_copy_terms(std::span<const CopySample> samples);

// `calibration` with the terms of register, unregister and both copy directions fitted to its points, and the residual
// of each point. The points of both copy directions are fitted together. All else is kept, and so are
// terms without points.
[[nodiscard]] tl::expected<Calibration, std::string> refit(Calibration calibration);

}  // namespace svmsim
