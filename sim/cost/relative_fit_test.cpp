// SPDX-License-Identifier: Apache-2.0
// Expected values are worked out beside each case.
#include "sim/cost/relative_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace svmsim {
namespace {

using Samples = std::vector<FitSample>;

void expect_about(Picoseconds actual, double expected, double tolerance) {
  EXPECT_NEAR(static_cast<double>(actual.count()), expected, tolerance);
}

TEST(RelativeFit, RelativeErrorCountsNotAbsolute) {
  // One term, 100 and 300 for the same call: the relative optimum is sum(1/t) / sum(1/t^2) = 120, the absolute one
  // would be 200.
  const RelativeFit fit = relative_fit(Samples{{{1}, Picoseconds(100)}, {{1}, Picoseconds(300)}}, 1);
  EXPECT_EQ(fit.terms[0].value, Picoseconds(120));
  // Errors 0.2 and -0.6, one degree of freedom: a scatter of sqrt(0.4). The variance of the term is 0.4 / sum(1/t^2) =
  // 3600, two standard errors are 120.
  EXPECT_NEAR(fit.scatter, std::sqrt(0.4), 1e-12);
  EXPECT_EQ(fit.terms[0].uncertainty, Picoseconds(120));
  EXPECT_EQ(fit.terms[0].verdict, TermVerdict::kScattered);
}

TEST(RelativeFit, AsManySamplesAsTermsAreMetAndTrustedToTheLeastScatter) {
  // a + b = 100,000 and a + 3 b = 200,000: a = b = 50,000. In terms of relative errors e and f of the two times, a is
  // off by 150,000 e - 100,000 f and b by -50,000 e + 100,000 f, with e and f of 1 %.
  const RelativeFit fit = relative_fit(Samples{{{1, 1}, Picoseconds(100'000)}, {{1, 3}, Picoseconds(200'000)}}, 2);
  expect_about(fit.terms[0].value, 50'000, 0);
  expect_about(fit.terms[1].value, 50'000, 0);
  EXPECT_EQ(fit.scatter, kLeastScatter);
  expect_about(fit.terms[0].uncertainty, 2 * 0.01 * 50'000 * std::sqrt(13.0), 1);
  expect_about(fit.terms[1].uncertainty, 2 * 0.01 * 50'000 * std::sqrt(5.0), 1);
  EXPECT_EQ(fit.terms[0].verdict, TermVerdict::kDetermined);
  EXPECT_EQ(fit.terms[1].verdict, TermVerdict::kDetermined);
}

TEST(RelativeFit, TermThatWouldBeNegativeIsZeroAndTheOthersAreFittedAnew) {
  // Unbounded, these want 400, -100 and 1000.
  const RelativeFit fit = relative_fit(Samples{{{1, 1, 0}, Picoseconds(300)},
                                               {{1, 2, 0}, Picoseconds(200)},
                                               {{1, 1, 1}, Picoseconds(1'300)},
                                               {{1, 2, 1}, Picoseconds(1'200)}},
                                       3);
  EXPECT_EQ(fit.terms[1].value, Picoseconds(0));
  EXPECT_NE(fit.terms[1].verdict, TermVerdict::kDetermined);
  // Left are two unknowns, c and c + h, each over two of the samples: sum(1/t) / sum(1/t^2) = 230.769 and 1246.006.
  expect_about(fit.terms[0].value, 231, 0);
  expect_about(fit.terms[2].value, 1015, 0);
}

TEST(RelativeFit, EveryTermCanBeTheOneAtZero) {
  // The time falls while one amount grows: that term is 0 and the other one is fitted alone.
  const RelativeFit second = relative_fit(Samples{{{1, 10}, Picoseconds(100)}, {{2, 10}, Picoseconds(90)}}, 2);
  EXPECT_EQ(second.terms[0].value, Picoseconds(0));
  // b = sum(10/t) / sum(100/t^2) = (0.1 + 0.1111) / (0.01 + 0.012346) = 9.448.
  expect_about(second.terms[1].value, 9, 0);
  const RelativeFit first = relative_fit(Samples{{{10, 1}, Picoseconds(100)}, {{10, 2}, Picoseconds(90)}}, 2);
  expect_about(first.terms[0].value, 9, 0);
  EXPECT_EQ(first.terms[1].value, Picoseconds(0));
}

TEST(RelativeFit, TermsThatGrowTogetherAreInseparableAndTheFirstCarriesTheCost) {
  // Huge pages on a host of small ones: 512 of the last term for each of the second. 10^6 + n * (1000 + 512 * 10).
  Samples samples;
  for (const double n : {1.0, 2.0, 64.0, 512.0}) {
    samples.push_back({{1, n, 512 * n}, Picoseconds(static_cast<std::uint64_t>(1e6 + n * 6'120))});
  }
  const RelativeFit fit = relative_fit(samples, 3);
  EXPECT_EQ(fit.terms[0].verdict, TermVerdict::kDetermined);
  expect_about(fit.terms[0].value, 1e6, 1);
  EXPECT_EQ(fit.terms[1].verdict, TermVerdict::kInseparable);
  expect_about(fit.terms[1].value, 6'120, 1);
  EXPECT_EQ(fit.terms[2].verdict, TermVerdict::kInseparable);
  EXPECT_EQ(fit.terms[2].value, Picoseconds(0));
}

TEST(RelativeFit, WhereTheFirstTermsWouldBeNegativeOthersCarryTheCost) {
  // a + 2 b = 10 and a + b = 22 ask for b = -12; a + c = 10 and a + 4 c = 22 for a = 6, c = 4.
  const Samples samples = {{{1, 2, 1}, Picoseconds(10'000)}, {{1, 1, 4}, Picoseconds(22'000)}};
  const RelativeFit fit = relative_fit(samples, 3);
  for (const FitSample& sample : samples)
    EXPECT_NEAR(fitted_time(fit, sample), static_cast<double>(sample.time.count()), 5);
}

TEST(RelativeFit, OneSizeLeavesAllOfItsTermsInseparable) {
  const RelativeFit fit = relative_fit(Samples{{{1, 2, 3}, Picoseconds(100)}, {{1, 2, 3}, Picoseconds(100)}}, 3);
  for (const FittedTerm& term : fit.terms) EXPECT_EQ(term.verdict, TermVerdict::kInseparable);
  EXPECT_EQ(fit.terms[0].value, Picoseconds(100));
}

TEST(RelativeFit, TermOfNoSampleIsZeroAndNamed) {
  const RelativeFit fit = relative_fit(Samples{{{1, 0}, Picoseconds(100)}, {{1, 0}, Picoseconds(100)}}, 2);
  EXPECT_EQ(fit.terms[0].value, Picoseconds(100));
  EXPECT_EQ(fit.terms[0].verdict, TermVerdict::kDetermined);
  EXPECT_EQ(fit.terms[1].value, Picoseconds(0));
  EXPECT_EQ(fit.terms[1].verdict, TermVerdict::kNoSample);
  for (const FittedTerm& term : relative_fit({}, 3).terms) EXPECT_EQ(term.verdict, TermVerdict::kNoSample);
}

TEST(RelativeFit, TermBelowTheScatterOfTheSamplesIsNotDetermined) {
  // Copies of 4, 8 and 64 bytes: 9.74, 9.89, 9.53 us. They fall with the size, so the bandwidth term is 0, and the
  // latency sum(1/t) / sum(1/t^2) = 3.0871342e-4 / 3.1775370e-8 ns.
  constexpr double kMib = 1 << 20;
  const RelativeFit fit = relative_fit(Samples{{{1, 4 / kMib}, Picoseconds(9'740'000)},
                                               {{1, 8 / kMib}, Picoseconds(9'890'000)},
                                               {{1, 64 / kMib}, Picoseconds(9'530'000)}},
                                       2);
  expect_about(fit.terms[0].value, 9'715'494, 20);
  EXPECT_EQ(fit.terms[0].verdict, TermVerdict::kDetermined);
  EXPECT_EQ(fit.terms[1].value, Picoseconds(0));
  EXPECT_EQ(fit.terms[1].verdict, TermVerdict::kScattered);
  // A bandwidth of the usual 35 us per MiB changes these by 2 ns: nothing here speaks against it.
  EXPECT_GT(fit.terms[1].uncertainty, Picoseconds(35'000'000));
}

TEST(RelativeFit, WhatIsBeyondPicosecondsIsTheLargestOnes) {
  const RelativeFit fit = relative_fit(Samples{{{1e-9}, Picoseconds(std::uint64_t{1} << 60)}}, 1);
  EXPECT_EQ(fit.terms[0].value, Picoseconds(std::numeric_limits<std::uint64_t>::max()));
}

TEST(RelativeFit, FittedTimeAddsTheTermsUp) {
  const RelativeFit fit = relative_fit(Samples{{{1, 1}, Picoseconds(100'000)}, {{1, 3}, Picoseconds(200'000)}}, 2);
  EXPECT_EQ(fitted_time(fit, {{1, 5}, Picoseconds(1)}), 300'000);
}

}  // namespace
}  // namespace svmsim
