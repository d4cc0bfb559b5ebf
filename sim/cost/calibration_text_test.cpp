// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sim/cost/points_file.h"

namespace svmsim {
namespace {

const std::string kShipped = std::string(SVMSIM_FIXTURES_DIR) + "/calibrations/";

void expect_same_calls(const MeasuredCall& a, const MeasuredCall& b) {
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.median, b.median);
  EXPECT_EQ(a.p99, b.p99);
  EXPECT_NEAR(a.residual_percent, b.residual_percent, 0.011);  // two places are written
}

void expect_same_points(const Calibration& a, const Calibration& b) {
  ASSERT_EQ(a.map_points.size(), b.map_points.size());
  for (std::size_t i = 0; i < a.map_points.size(); ++i) {
    EXPECT_EQ(a.map_points[i].bytes, b.map_points[i].bytes);
    EXPECT_EQ(a.map_points[i].page_kind, b.map_points[i].page_kind);
    expect_same_calls(a.map_points[i].register_call, b.map_points[i].register_call);
    expect_same_calls(a.map_points[i].unregister_call, b.map_points[i].unregister_call);
  }
  ASSERT_EQ(a.copy_points.size(), b.copy_points.size());
  for (std::size_t i = 0; i < a.copy_points.size(); ++i) {
    EXPECT_EQ(a.copy_points[i].direction, b.copy_points[i].direction);
    EXPECT_EQ(a.copy_points[i].bytes, b.copy_points[i].bytes);
    expect_same_calls(a.copy_points[i].call, b.copy_points[i].call);
  }
  ASSERT_EQ(a.view_points.size(), b.view_points.size());
  for (std::size_t i = 0; i < a.view_points.size(); ++i) {
    EXPECT_EQ(a.view_points[i].access, b.view_points[i].access);
    EXPECT_EQ(a.view_points[i].accesses, b.view_points[i].accesses);
    expect_same_calls(a.view_points[i].call, b.view_points[i].call);
  }
}

void expect_read_back(const Calibration& calibration) {
  const auto read = parse_calibration(calibration_text(calibration), "written.toml");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->name, calibration.name);
  EXPECT_EQ(read->description, calibration.description);
  EXPECT_EQ(read->source.what, calibration.source.what);
  EXPECT_EQ(read->source.where, calibration.source.where);
  EXPECT_EQ(read->source.when, calibration.source.when);
  EXPECT_EQ(read->source.driver, calibration.source.driver);
  EXPECT_EQ(read->source.method, calibration.source.method);
  EXPECT_EQ(read->personality, calibration.personality);
  EXPECT_EQ(read->device_page, calibration.device_page);
  EXPECT_EQ(read->host_page, calibration.host_page);
  EXPECT_EQ(read->map_measured, calibration.map_measured);
  EXPECT_EQ(read->parameters, calibration.parameters);
  expect_same_points(*read, calibration);
  ASSERT_EQ(read->assumptions.size(), calibration.assumptions.size());
  for (std::size_t i = 0; i < read->assumptions.size(); ++i) {
    EXPECT_EQ(read->assumptions[i].parameter, calibration.assumptions[i].parameter);
    EXPECT_EQ(read->assumptions[i].text, calibration.assumptions[i].text);
  }
}

TEST(CalibrationText, EveryShippedCalibrationIsReadBackAsItWas) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kShipped)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    const auto calibration = load_calibration(entry.path().string());
    ASSERT_TRUE(calibration.has_value()) << calibration.error().message();
    expect_read_back(*calibration);
    ++files;
  }
  EXPECT_GE(files, 3U);
}

TEST(CalibrationText, EveryKindOfPointAndAwkwardTextsAreReadBack) {
  const auto points = parse_points(
      "kind,host_page,device_page,personality,what\nsource,65536,65536,v3,a \"b\" \\ \x01\n"
      "kind,bytes,page_kind,pages,register_median,register_p99,unregister_median\nmap,5000000,huge,3,2,4.125,3\n"
      "kind,bytes,median,p99\nd2h,64,9,11\nkind,accesses,min,median\nload,10,8,9\nstore,100,1,2\n",
      "p.csv");
  ASSERT_TRUE(points.has_value()) << points.error().message();
  const auto fitted = fit_calibration(*points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  const Calibration named = named_calibration(*fitted, "mine");
  EXPECT_EQ(named.name, "mine");
  expect_read_back(named);
}

TEST(CalibrationText, ShippedPointsGiveTheShippedCalibration) {
  const auto points = load_points(kShipped + "a2a3-cann9.csv");
  ASSERT_TRUE(points.has_value()) << points.error().message();
  const auto shipped = load_calibration(kShipped + "a2a3-cann9.toml");
  ASSERT_TRUE(shipped.has_value()) << shipped.error().message();
  const auto fitted = fit_calibration(*points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  expect_same_points(fitted->calibration, *shipped);
  CostParameters expected = shipped->parameters;
  expected.launch = Picoseconds(0);  // not from these points
  EXPECT_EQ(fitted->calibration.parameters, expected);
}

TEST(CalibrationText, WhatThePointsDoNotDetermineIsAnAssumption) {
  const auto points = parse_points("kind,accesses,median\nload,10,9\nload,100,90\n", "p.csv");
  ASSERT_TRUE(points.has_value()) << points.error().message();
  const Calibration named = named_calibration(*fit_calibration(*points), "n");
  std::string assumed;
  for (const Assumption& assumption : named.assumptions) assumed += assumption.parameter + " ";
  EXPECT_EQ(assumed, "register unregister copy_from_device copy_to_device set_memory allocate free view_store launch ");
  EXPECT_EQ(named.assumptions.back().text, "launch is 0 ps: no point measures it.");
  EXPECT_FALSE(named.map_measured);
}

}  // namespace
}  // namespace svmsim
