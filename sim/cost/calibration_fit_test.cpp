// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration_fit.h"
#include "sim/cost/testing/byte_units.h"
#include "sim/driver/page_walk.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
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

MeasuredCall call_of(Picoseconds median) {
  MeasuredCall call;
  call.median = median;
  return call;
}

// What a whole measurement gives when every call costs what `parameters` say: 64 B to 1 GiB on ordinary and huge pages,
// copies of 4 B to 64 MiB both ways, loads and stores.
Calibration measured(const CostParameters& parameters) {
  Calibration calibration;
  const CostModel model(parameters);
  for (const PageKind kind : {PageKind::kOrdinary, PageKind::kHuge}) {
    for (std::uint64_t bytes = 64; bytes <= 1024 * kMib; bytes *= 4) {
      const PageWalk walk = page_walk(Bytes(bytes), kind, calibration.device_page, calibration.host_page);
      calibration.map_points.push_back(
          {Bytes(bytes), kind, walk, call_of(model.register_cost(walk)), call_of(model.unregister_cost(walk))});
    }
  }
  for (const CopyDirection direction : {CopyDirection::kFromDevice, CopyDirection::kToDevice}) {
    for (std::uint64_t bytes = 4; bytes <= 64 * kMib; bytes *= 8) {
      calibration.copy_points.push_back({direction, Bytes(bytes), call_of(model.copy_cost(direction, Bytes(bytes)))});
    }
  }
  for (const std::uint64_t accesses : {1U, 100U}) {
    calibration.view_points.push_back({ViewAccess::kLoad, accesses, call_of(model.view_access_cost(accesses, 0))});
    calibration.view_points.push_back({ViewAccess::kStore, accesses, call_of(model.view_access_cost(0, accesses))});
  }
  return calibration;
}

const TermReport& term(const FittedCalibration& fitted, std::string_view name) {
  static const TermReport none;
  for (const TermReport& report : fitted.terms) {
    if (report.name == name) return report;
  }
  ADD_FAILURE() << "no term " << name;
  return none;
}

std::vector<std::string> open_terms(const FittedCalibration& fitted) {
  std::vector<std::string> names;
  for (const TermReport& report : fitted.terms) {
    EXPECT_EQ(report.determined, report.reason.empty()) << report.name;
    if (!report.determined) names.push_back(report.name);
  }
  return names;
}

CostParameters planted() {
  CostParameters parameters;
  parameters.register_to_host = {Picoseconds(1'500'000), Picoseconds(150'000), Picoseconds(1'500)};
  parameters.unregister_from_host = {Picoseconds(3'600'000), Picoseconds(35'000), Picoseconds(25'000)};
  parameters.copy_from_device = {Picoseconds(10'000'000), Picoseconds(35'000'000)};
  parameters.copy_to_device = {Picoseconds(7'000'000), Picoseconds(90'000'000)};
  parameters.view_load = Picoseconds(800'000);
  parameters.view_store = Picoseconds(20'000);
  return parameters;
}

const std::vector<std::string> kNeverMeasured = {"set_memory.latency", "set_memory.mib", "allocate", "free", "launch"};

TEST(CalibrationFit, PlantedParametersAreRecoveredAndOnlyWhatHasNoPointsIsOpen) {
  const auto fitted = fit_calibration(measured(planted()));
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  const CostParameters& found = fitted->calibration.parameters;
  expect_terms(found.register_to_host, planted().register_to_host);
  expect_terms(found.unregister_from_host, planted().unregister_from_host);
  expect_terms(found.copy_from_device, planted().copy_from_device);
  expect_terms(found.copy_to_device, planted().copy_to_device);
  EXPECT_EQ(found.set_memory, found.copy_from_device);
  expect_near_ps(found.view_load, 800'000, 1);
  expect_near_ps(found.view_store, 20'000, 1);
  EXPECT_TRUE(fitted->calibration.map_measured);
  EXPECT_EQ(open_terms(*fitted), kNeverMeasured);
}

TEST(CalibrationFit, TermsPlantedAtZeroAreRecoveredAsZero) {
  for (const MapTerms& terms : {MapTerms{Picoseconds(1'000'000), Picoseconds(0), Picoseconds(1'000)},
                                MapTerms{Picoseconds(1'000'000), Picoseconds(1'000), Picoseconds(0)},
                                MapTerms{Picoseconds(0), Picoseconds(1'000'000), Picoseconds(1'000)},
                                MapTerms{Picoseconds(1'000'000), Picoseconds(0), Picoseconds(0)}}) {
    CostParameters parameters = planted();
    parameters.register_to_host = terms;
    const auto fitted = fit_calibration(measured(parameters));
    ASSERT_TRUE(fitted.has_value()) << fitted.error();
    expect_terms(fitted->calibration.parameters.register_to_host, terms);
    EXPECT_EQ(term(*fitted, "register.call").determined, terms.call > Picoseconds(0));
  }
}

TEST(CalibrationFit, PlantedParametersAreRecoveredWithinOnePercentFromMediansThatScatterByHalfAPercent) {
  Calibration points = measured(planted());
  int n = 0;
  const auto scatter = [&](MeasuredCall& call) {
    const std::uint64_t off = call.median.count() / 200;
    call.median = Picoseconds(n++ % 3 == 0 ? call.median.count() + off : call.median.count() - off / 2);
  };
  for (MapPoint& point : points.map_points) {
    scatter(point.register_call);
    scatter(point.unregister_call);
  }
  for (CopyPoint& point : points.copy_points) scatter(point.call);
  const auto fitted = fit_calibration(points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  const auto expect_within = [](Picoseconds found, Picoseconds wanted) {
    expect_near_ps(found, wanted.count(), wanted.count() / 100);
  };
  const CostParameters& found = fitted->calibration.parameters;
  const CostParameters wanted = planted();
  expect_within(found.register_to_host.call, wanted.register_to_host.call);
  expect_within(found.register_to_host.allocation_page, wanted.register_to_host.allocation_page);
  expect_within(found.register_to_host.host_page, wanted.register_to_host.host_page);
  expect_within(found.unregister_from_host.call, wanted.unregister_from_host.call);
  expect_within(found.unregister_from_host.host_page, wanted.unregister_from_host.host_page);
  expect_within(found.copy_from_device.latency, wanted.copy_from_device.latency);
  expect_within(found.copy_to_device.mib, wanted.copy_to_device.mib);
  EXPECT_EQ(open_terms(*fitted), kNeverMeasured);
}

TEST(CalibrationFit, HugePagesAloneLeaveThePageTermsInseparable) {
  Calibration points = measured(planted());
  std::erase_if(points.map_points, [](const MapPoint& point) { return point.page_kind == PageKind::kOrdinary; });
  const auto fitted = fit_calibration(points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  EXPECT_TRUE(term(*fitted, "register.call").determined);
  EXPECT_EQ(term(*fitted, "register.allocation_page").reason, "no point tells it apart from host_page");
  EXPECT_EQ(term(*fitted, "register.host_page").reason, "no point tells it apart from allocation_page");
  // 150,000 + 512 * 1,500.
  expect_near_ps(term(*fitted, "register.allocation_page").value, 918'000, 1);
  EXPECT_EQ(term(*fitted, "register.host_page").value, Picoseconds(0));
}

TEST(CalibrationFit, DirectionWithoutPointsCostsWhatTheOtherDoes) {
  Calibration points = measured(planted());
  std::erase_if(points.copy_points, [](const CopyPoint& point) { return point.direction == CopyDirection::kToDevice; });
  const auto fitted = fit_calibration(points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  expect_terms(fitted->calibration.parameters.copy_to_device, planted().copy_from_device);
  EXPECT_TRUE(term(*fitted, "copy_from_device.latency").determined);
  EXPECT_EQ(term(*fitted, "copy_to_device.latency").reason, "no point measures it; as in the other direction");
}

TEST(CalibrationFit, DirectionsThatEachDetermineOneTermAreFittedTogether) {
  CostParameters parameters = planted();
  parameters.copy_to_device = parameters.copy_from_device;
  Calibration points = measured(parameters);
  std::erase_if(points.copy_points, [](const CopyPoint& point) {
    return (point.direction == CopyDirection::kFromDevice) != (point.bytes <= Bytes(4096));
  });
  const auto fitted = fit_calibration(points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  expect_terms(fitted->calibration.parameters.copy_from_device, parameters.copy_from_device);
  expect_terms(fitted->calibration.parameters.copy_to_device, parameters.copy_from_device);
  EXPECT_TRUE(term(*fitted, "copy_from_device.latency").determined);
  EXPECT_FALSE(term(*fitted, "copy_from_device.mib").determined);
}

// A tenth of a picosecond a load, and one a store.
TEST(CalibrationFit, TermThatRoundsToZeroIsOpen) {
  Calibration points;
  for (const std::uint64_t times : {1000u, 2000u, 4000u}) {
    MeasuredCall call;
    call.median = Picoseconds(times * 100);
    points.view_points.push_back({ViewAccess::kLoad, times * 1000, call});
    points.view_points.push_back({ViewAccess::kStore, times * 100, call});
  }
  const auto fitted = fit_calibration(points);
  ASSERT_TRUE(fitted.has_value()) << fitted.error();
  EXPECT_EQ(term(*fitted, "view_load").value, Picoseconds(0));
  EXPECT_EQ(term(*fitted, "view_load").reason, "it is below half a picosecond, and 0 here");
  EXPECT_FALSE(term(*fitted, "view_load").determined);
  EXPECT_EQ(term(*fitted, "view_store").value, Picoseconds(1));
  EXPECT_TRUE(term(*fitted, "view_store").determined);
}

TEST(CalibrationFit, ParametersWithoutPointsAreKept) {
  Calibration calibration;
  calibration.parameters = planted();
  calibration.parameters.launch = Picoseconds(5);
  const auto fitted = fit_calibration(calibration);
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->calibration.parameters, calibration.parameters);
  EXPECT_FALSE(fitted->calibration.map_measured);
  EXPECT_EQ(open_terms(*fitted).size(), fitted->terms.size());
}

TEST(CalibrationFit, ParameterBeyondWhatACalibrationHoldsIsRefusedByName) {
  Calibration points;
  points.view_points = {{ViewAccess::kStore, 1, call_of(kMaxParameter)}};
  EXPECT_TRUE(fit_calibration(points).has_value());
  points.view_points = {{ViewAccess::kStore, 1, call_of(kMaxParameter * 2)}};
  const auto fitted = fit_calibration(points);
  ASSERT_FALSE(fitted.has_value());
  EXPECT_EQ(fitted.error(),
            "the points make view_store cost more than 3600000000000000 ps, the most that a calibration holds");
}

TEST(CalibrationFit, ResidualIsModelOverMedian) {
  Calibration points;
  points.parameters.view_load = Picoseconds(120'000);
  points.view_points = {{ViewAccess::kLoad, 2, call_of(Picoseconds(200'000))}};
  EXPECT_EQ(with_residuals(points).view_points[0].call.residual_percent, 20.0);
}

TEST(LeaveOneOut, IsTheErrorOfTheOtherPointsFit) {
  // 1, 2 and 4 loads in 100, 200 and 500 ns. Without the last a load takes 100 ns, so 400 of 500: -20 %. Without one
  // of the others a load takes (1/100 + 4/500) / (1/100^2 + 4^2/500^2) = 109.756 ns: +9.76 %.
  Calibration points;
  points.view_points = {{ViewAccess::kLoad, 1, call_of(Picoseconds(100'000))},
                        {ViewAccess::kLoad, 2, call_of(Picoseconds(200'000))},
                        {ViewAccess::kLoad, 4, call_of(Picoseconds(500'000))}};
  const Calibration left = leave_one_out(points);
  EXPECT_EQ(left.view_points[0].call.left_out_percent, 9.76);
  EXPECT_EQ(left.view_points[1].call.left_out_percent, 9.76);
  EXPECT_EQ(left.view_points[2].call.left_out_percent, -20.0);
  points.view_points.pop_back();
  EXPECT_EQ(leave_one_out(points).view_points[0].call.left_out_percent, std::nullopt);
}

TEST(LeaveOneOut, PointOfAWalkThatAnotherPointHasIsPredictedByIt) {
  // 64 B and 4 KiB walk one page. One of them a tenth too slow: 1 / 1.1 is -9.09 %.
  Calibration points = measured(planted());
  for (MapPoint& point : points.map_points) {
    MeasuredCall& call = point.register_call;
    if (point.page_kind == PageKind::kOrdinary && point.bytes == Bytes(4096)) {
      call.median = Picoseconds(call.median.count() / 10 * 11);
    }
  }
  const Calibration left = leave_one_out(points);
  for (const MapPoint& point : left.map_points) {
    if (point.page_kind != PageKind::kOrdinary || point.bytes != Bytes(4096)) continue;
    EXPECT_EQ(point.register_call.left_out_percent, -9.09);
    EXPECT_EQ(point.unregister_call.left_out_percent, 0.0);
  }
}

TEST(LeaveOneOut, EachPageKindKeepsTwoSizesThatWalkDifferently) {
  const auto file = load_calibration(std::string(SVMSIM_FIXTURES_DIR) + "/calibrations/a2a3-cann9.toml");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const Calibration left = leave_one_out(*file);
  std::vector<bool> has;
  for (const MapPoint& point : left.map_points) has.push_back(point.register_call.left_out_percent.has_value());
  // 64 B and 4 KiB stand in for each other; 256 KiB is the only other ordinary size, and huge ones are two in all.
  EXPECT_EQ(has, (std::vector<bool>{true, true, false, false, false}));
  has.clear();
  for (const CopyPoint& point : left.copy_points) has.push_back(point.call.left_out_percent.has_value());
  EXPECT_EQ(has, (std::vector<bool>{true, true, true, false, false}));
}

// What a file says must be what its points give.
void expect_is_its_own_fit(const Calibration& file) {
  Calibration bare = file;
  if (!file.map_points.empty()) bare.parameters.register_to_host = bare.parameters.unregister_from_host = {};
  if (!file.copy_points.empty()) bare.parameters.copy_from_device = bare.parameters.copy_to_device = {};
  const auto fit = fit_calibration(bare);
  ASSERT_TRUE(fit.has_value()) << fit.error();
  const Calibration* const fitted = &fit->calibration;
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
