// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_fit.h"
#include "sim/cost/testing/byte_units.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace svmsim {
namespace {

void expect_near_ps(Picoseconds actual, std::uint64_t expected, std::uint64_t tolerance) {
  EXPECT_NEAR(static_cast<double>(actual.count()), static_cast<double>(expected), static_cast<double>(tolerance));
}

void expect_terms(const MapTerms& actual, const MapTerms& expected) {
  expect_near_ps(actual.call, expected.call.count(), 1);
  expect_near_ps(actual.allocation_page, expected.allocation_page.count(), 1);
  expect_near_ps(actual.host_page, expected.host_page.count(), 1);
}

void expect_terms(const CopyTerms& actual, const CopyTerms& expected) {
  expect_near_ps(actual.latency, expected.latency.count(), 1);
  expect_near_ps(actual.mib, expected.mib.count(), 1);
}

// Samples of ordinary and huge pages that lie exactly on `terms`.
std::vector<MapSample> planted(const MapTerms& terms) {
  CostParameters parameters;
  parameters.register_to_host = terms;
  const CostModel model(parameters);
  std::vector<MapSample> samples;
  for (const PageWalk walk : {PageWalk{1, 1}, PageWalk{64, 64}, PageWalk{2, 1024}, PageWalk{128, 65536}}) {
    samples.push_back({walk, model.register_cost(walk)});
  }
  return samples;
}

TEST(CalibrationFit, PlantedTermsAreRecovered) {
  for (const MapTerms& terms : {MapTerms{Picoseconds(1'500'000), Picoseconds(150'000), Picoseconds(1'500)},
                                MapTerms{Picoseconds(3'600'000), Picoseconds(35'000), Picoseconds(25'000)},
                                MapTerms{Picoseconds(1'000'000), Picoseconds(1), Picoseconds(1'000'000)}}) {
    const auto fitted = fit_map_terms(planted(terms));
    ASSERT_TRUE(fitted.has_value()) << fitted.error();
    expect_terms(*fitted, terms);
  }
}

TEST(CalibrationFit, TermsPlantedAtZeroAreRecoveredAsZero) {
  for (const MapTerms& terms : {MapTerms{Picoseconds(1'000'000), Picoseconds(0), Picoseconds(1'000)},
                                MapTerms{Picoseconds(1'000'000), Picoseconds(1'000), Picoseconds(0)},
                                MapTerms{Picoseconds(0), Picoseconds(1'000'000), Picoseconds(1'000)},
                                MapTerms{Picoseconds(1'000'000), Picoseconds(0), Picoseconds(0)}}) {
    const auto fitted = fit_map_terms(planted(terms));
    ASSERT_TRUE(fitted.has_value()) << fitted.error();
    expect_terms(*fitted, terms);
  }
}

TEST(CalibrationFit, TermThatWouldBeNegativeIsZeroAndTheOthersAreFittedAnew) {
  // Unbounded, these points want call = 400, -100 per page of the block and 1000 per host page.
  const std::vector<MapSample> samples = {{{1, 0}, Picoseconds(300)},
                                          {{2, 0}, Picoseconds(200)},
                                          {{1, 1}, Picoseconds(1'300)},
                                          {{2, 1}, Picoseconds(1'200)}};
  const auto fitted = fit_map_terms(samples);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  EXPECT_EQ(fitted->allocation_page, Picoseconds(0));
  // Left are two unknowns, c and c + h, each over two of the points: sum(1/t) / sum(1/t^2) = 230.769 and 1246.006.
  expect_near_ps(fitted->call, 231, 0);
  expect_near_ps(fitted->host_page, 1015, 0);
}

TEST(CalibrationFit, RelativeErrorCountsNotAbsolute) {
  // One term, times 100 and 300 for the same walk: the relative optimum is sum(1/t) / sum(1/t^2) = 120, the absolute
  // one would be 200.
  const std::vector<MapSample> samples = {
      {{1, 1}, Picoseconds(100)}, {{1, 1}, Picoseconds(300)}, {{2, 1}, Picoseconds(120)}, {{1, 2}, Picoseconds(120)}};
  const auto fitted = fit_map_terms(samples);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  EXPECT_EQ(fitted->call, Picoseconds(120));
}

TEST(CalibrationFit, PointsThatLeaveATermOpenAreRefused) {
  EXPECT_FALSE(fit_map_terms({}).has_value());
  // Huge pages only: host pages are always 512 times the pages of the block.
  const std::vector<MapSample> huge = {
      {{1, 512}, Picoseconds(100)}, {{2, 1024}, Picoseconds(200)}, {{64, 32768}, Picoseconds(300)}};
  EXPECT_FALSE(fit_map_terms(huge).has_value());
  const std::vector<CopySample> one_size = {{Bytes(64), Picoseconds(100)}, {Bytes(64), Picoseconds(101)}};
  EXPECT_FALSE(fit_copy_terms(one_size).has_value());
}

TEST(CalibrationFit, PlantedCopyTermsAreRecovered) {
  const std::vector<CopySample> samples = {{Bytes(kMib), Picoseconds(10'000'000 + 35'000'000)},
                                           {Bytes(1024 * kMib), Picoseconds(10'000'000 + 35'000'000ULL * 1024)},
                                           {Bytes(2 * kMib), Picoseconds(10'000'000 + 70'000'000)}};
  const auto fitted = fit_copy_terms(samples);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  expect_near_ps(fitted->latency, 10'000'000, 1);
  expect_near_ps(fitted->mib, 35'000'000, 1);
}

TEST(CalibrationFit, RefitKeepsTermsWithoutPoints) {
  Calibration calibration;
  calibration.parameters.copy_to_device.latency = Picoseconds(5);
  const auto fitted = refit(calibration);
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->parameters, calibration.parameters);
  EXPECT_FALSE(fitted->map_measured);
}

// What a file says must be what its points give.
void expect_is_its_own_fit(const Calibration& file) {
  Calibration bare = file;
  if (!file.map_points.empty()) bare.parameters.register_to_host = bare.parameters.unregister_from_host = {};
  if (!file.copy_points.empty()) bare.parameters.copy_from_device = bare.parameters.copy_to_device = {};
  const auto fitted = refit(bare);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  expect_terms(file.parameters.register_to_host, fitted->parameters.register_to_host);
  expect_terms(file.parameters.unregister_from_host, fitted->parameters.unregister_from_host);
  expect_terms(file.parameters.copy_from_device, fitted->parameters.copy_from_device);
  expect_terms(file.parameters.copy_to_device, fitted->parameters.copy_to_device);
  // Two places are written, so half a unit of the last may be lost.
  constexpr double kRounding = 0.011;
  for (std::size_t i = 0; i < file.map_points.size(); ++i) {
    const MapPoint& written = file.map_points[i];
    const MapPoint& expected = fitted->map_points[i];
    EXPECT_NEAR(written.register_call.residual_percent, expected.register_call.residual_percent, kRounding) << i;
    EXPECT_NEAR(written.unregister_call.residual_percent, expected.unregister_call.residual_percent, kRounding) << i;
  }
  for (std::size_t i = 0; i < file.copy_points.size(); ++i) {
    EXPECT_NEAR(file.copy_points[i].call.residual_percent, fitted->copy_points[i].call.residual_percent, kRounding)
        << i;
  }
}

TEST(CalibrationFit, ShippedParametersAndResidualsAreTheFitOfTheShippedPoints) {
  std::size_t files_with_points = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(SVMSIM_FIXTURES_DIR) / "calibrations")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    const auto file = load_calibration(entry.path().string());
    ASSERT_TRUE(file.has_value()) << file.error().message();
    expect_is_its_own_fit(*file);
    if (!file->map_points.empty() && !file->copy_points.empty()) ++files_with_points;
  }
  EXPECT_GE(files_with_points, 1U);
}

}  // namespace
}  // namespace svmsim
