// SPDX-License-Identifier: Apache-2.0
// Fits the terms of one kind of call to measured times: least squares on the relative error, no term below zero, and
// how far the samples determine each term. Pure functions, thread-safe; the same samples in the same order give the
// same answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/units.h"

namespace svmsim {

using svmrt::Picoseconds;

inline constexpr std::size_t kMaxTerms = 3;

// A call that took `time`, and how much of each term it holds (1 call, 64 host pages).
struct FitSample {
  std::array<double, kMaxTerms> amounts{};  // none negative; beyond the number of terms not looked at
  Picoseconds time;                         // above 0
};

enum class TermVerdict : std::uint8_t {
  kDetermined,
  kNoSample,     // no sample holds any of it; its value is 0
  kInseparable,  // it grows with other terms in every sample: they share one cost
  kScattered,    // the scatter of the samples hides it
  kTooSmall,     // rounded to a whole picosecond it is 0
};

struct FittedTerm {
  Picoseconds value;        // the largest Picoseconds for what is beyond them
  Picoseconds uncertainty;  // two standard errors, above and below; 0 for kNoSample and kInseparable
  TermVerdict verdict = TermVerdict::kDetermined;
};

struct RelativeFit {
  std::vector<FittedTerm> terms;
  double scatter = 0;  // the standard deviation of a sample's relative error, at least kLeastScatter
};

// What no measurement is trusted beyond. The published medians of mappings that walk the same single page, of 64 bytes
// and of 4 KiB, are 1.9 % (register) and 3.9 % (unregister) apart.
inline constexpr double kLeastScatter = 0.01;

// `terms` is 1 to kMaxTerms. Of terms that cannot be told apart the first ones carry the cost and the rest are 0.
// A term is determined when its uncertainty is at most half of its value, and that is not 0.
[[nodiscard]] RelativeFit relative_fit(std::span<const FitSample> samples, std::size_t terms);

// What the terms make of a sample's amounts. Only shown to people, never fed back into a time.
[[nodiscard]] double fitted_time(const RelativeFit& fit, const FitSample& sample);

}  // namespace svmsim
