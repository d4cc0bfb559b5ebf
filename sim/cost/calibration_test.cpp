// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/calibration.h"
#include "sim/cost/testing/byte_units.h"
#include "sim/driver/page_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace svmsim {
namespace {

const std::filesystem::path kCalibrations = std::filesystem::path(SVMSIM_FIXTURES_DIR) / "calibrations";

Calibration shipped(const std::string& name) {
  const auto calibration = load_calibration((kCalibrations / (name + ".toml")).string());
  if (!calibration) {
    ADD_FAILURE() << calibration.error().message();
    return {};
  }
  return *calibration;
}

std::string shipped_text() {
  std::ifstream input(kCalibrations / "a2a3-cann9.toml");
  return {std::istreambuf_iterator<char>(input), {}};
}

// The shipped file with the first `from` replaced.
std::string edited(std::string_view from, std::string_view to) {
  std::string text = shipped_text();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

ConfigResult<Calibration> loaded(const std::string& text) {
  const std::string path = testing::TempDir() + "calibration_test_" + std::to_string(getpid()) + ".toml";
  std::ofstream(path) << text;
  auto calibration = load_calibration(path);
  std::filesystem::remove(path);
  return calibration;
}

void expect_refused(std::string_view from, std::string_view to, const std::string& key, const std::string& allowed) {
  const auto calibration = loaded(edited(from, to));
  ASSERT_FALSE(calibration.has_value()) << to;
  EXPECT_EQ(calibration.error().key, key);
  EXPECT_THAT(calibration.error().allowed, testing::StartsWith(allowed));
  EXPECT_GT(calibration.error().line, 0U);
}

TEST(CalibrationOfAPlatform, AbsentOneIsAMistakeOfThePlatformsFile) {
  Platform platform;
  platform.file = "p.toml";
  platform.calibration = "a2a3-cann9";
  EXPECT_EQ(load_calibration_of(platform, SVMSIM_FIXTURES_DIR)->name, "a2a3-cann9");
  platform.calibration = "gone";
  const auto absent = load_calibration_of(platform, SVMSIM_FIXTURES_DIR);
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().file, "p.toml");
  EXPECT_EQ(absent.error().key, "calibration");
  EXPECT_THAT(absent.error().message(), testing::HasSubstr("calibrations/gone.toml: found no such file"));
}

// A map and unmap of `bytes` on a 4 KiB host, in nanoseconds.
struct MapNanoseconds {
  double map;
  double unmap;
  double pair() const { return map + unmap; }
};

MapNanoseconds map_ns(std::uint64_t bytes, PageKind kind) {
  const CostModel model(shipped("a2a3-cann9").parameters);
  const PageWalk walk = page_walk(Bytes(bytes), kind, Bytes(4096), Bytes(4096));
  return {static_cast<double>(model.register_cost(walk).count()) / 1e3,
          static_cast<double>(model.unregister_cost(walk).count()) / 1e3};
}

double copy_ns(std::uint64_t bytes) {
  const CostModel model(shipped("a2a3-cann9").parameters);
  return static_cast<double>(model.copy_cost(CopyDirection::kFromDevice, Bytes(bytes)).count()) / 1e3;
}

// The published sweep, nanoseconds.
struct PublishedMap {
  std::uint64_t bytes;
  PageKind kind;
  std::uint64_t pages;
  std::uint64_t register_min, register_median, unregister_min, unregister_median;
};
constexpr PublishedMap kPublishedMaps[] = {
    {64, PageKind::kOrdinary, 1, 1270, 1580, 2790, 3741},
    {4096, PageKind::kOrdinary, 1, 1280, 1610, 2600, 3600},
    {262144, PageKind::kOrdinary, 64, 10480, 11340, 5980, 7420},
    {4194304, PageKind::kHuge, 2, 2350, 3430, 27700, 29371},
    {268435456, PageKind::kHuge, 128, 86460, 115901, 1598205, 1649126},
};
struct PublishedCopy {
  std::uint64_t bytes, min, median;
};
constexpr PublishedCopy kPublishedCopies[] = {{4, 9020, 9740}, {8, 9051, 9890}, {64, 8660, 9530}};

TEST(Calibration, EveryShippedFileLoadsAndIsNamedLikeItsFile) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCalibrations)) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const std::string name = entry.path().stem().string();
    EXPECT_EQ(shipped(name).name, name);
  }
  EXPECT_GE(files, 3U);
}

TEST(Calibration, EveryShippedPlatformNamesAShippedCalibrationOfItsDriver) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(SVMSIM_FIXTURES_DIR) / "platforms")) {
    if (entry.path().extension() != ".toml") continue;
    const auto platform = load_platform(entry.path().string());
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    EXPECT_EQ(shipped(platform->calibration).personality, platform->personality) << platform->name;
  }
}

TEST(Calibration, ShippedPointsAreThePublishedOnes) {
  const Calibration calibration = shipped("a2a3-cann9");
  ASSERT_EQ(calibration.map_points.size(), std::size(kPublishedMaps));
  for (std::size_t i = 0; i < std::size(kPublishedMaps); ++i) {
    const PublishedMap& published = kPublishedMaps[i];
    const MapPoint& point = calibration.map_points[i];
    EXPECT_EQ(point.bytes, Bytes(published.bytes));
    EXPECT_EQ(point.page_kind, published.kind);
    EXPECT_EQ(point.walk.allocation_pages, published.pages);
    EXPECT_EQ(point.register_call.min, Picoseconds(published.register_min * 1000));
    EXPECT_EQ(point.register_call.median, Picoseconds(published.register_median * 1000));
    EXPECT_EQ(point.unregister_call.min, Picoseconds(published.unregister_min * 1000));
    EXPECT_EQ(point.unregister_call.median, Picoseconds(published.unregister_median * 1000));
  }
  ASSERT_GE(calibration.copy_points.size(), std::size(kPublishedCopies));
  for (std::size_t i = 0; i < std::size(kPublishedCopies); ++i) {
    const CopyPoint& point = calibration.copy_points[i];
    EXPECT_EQ(point.direction, CopyDirection::kFromDevice);
    EXPECT_EQ(point.bytes, Bytes(kPublishedCopies[i].bytes));
    EXPECT_EQ(point.call.min, Picoseconds(kPublishedCopies[i].min * 1000));
    EXPECT_EQ(point.call.median, Picoseconds(kPublishedCopies[i].median * 1000));
  }
}

TEST(Calibration, EveryPublishedMedianIsWithinFivePercent) {
  for (const PublishedMap& point : kPublishedMaps) {
    const MapNanoseconds model = map_ns(point.bytes, point.kind);
    const auto map = static_cast<double>(point.register_median);
    const auto unmap = static_cast<double>(point.unregister_median);
    EXPECT_NEAR(model.map, map, 0.05 * map) << point.bytes;
    EXPECT_NEAR(model.unmap, unmap, 0.05 * unmap) << point.bytes;
  }
  for (const PublishedCopy& point : kPublishedCopies) {
    const auto median = static_cast<double>(point.median);
    EXPECT_NEAR(copy_ns(point.bytes), median, 0.05 * median) << point.bytes;
  }
}

TEST(Calibration, LargeCopiesMoveAboutThirtyGigabytesPerSecond) {
  EXPECT_NEAR(copy_ns(40'900'000'000) / 1e9, 1.37, 0.05 * 1.37);
  EXPECT_NEAR(copy_ns(45'800'000'000) / 1e9, 1.48, 0.05 * 1.48);
}

TEST(Calibration, PairIsFlatFrom64BytesTo4Kib) {
  const double small = map_ns(64, PageKind::kOrdinary).pair();
  const double page = map_ns(4 * kKib, PageKind::kOrdinary).pair();
  EXPECT_NEAR(page, small, 0.03 * small);
  EXPECT_NEAR(small, 5'200, 0.05 * 5'200);
}

TEST(Calibration, PairOnHugePagesCostsAboutSevenMillisecondsPerGib) {
  const double slope =
      (map_ns(256 * kMib, PageKind::kHuge).pair() - map_ns(16 * kMib, PageKind::kHuge).pair()) / 240 * 1024;
  EXPECT_GE(slope, 6.9e6);
  EXPECT_LE(slope, 7.15e6);
}

TEST(Calibration, HugeRangeIsCheaperToMapAndDearerToUnmapThanASmallOrdinaryOne) {
  const MapNanoseconds huge = map_ns(4 * kMib, PageKind::kHuge);
  const MapNanoseconds ordinary = map_ns(256 * kKib, PageKind::kOrdinary);
  EXPECT_LT(huge.map, ordinary.map);
  EXPECT_GT(huge.unmap, ordinary.unmap);
}

TEST(Calibration, UnmapChecksAHostPageInAbout25Nanoseconds) {
  const Picoseconds step = shipped("a2a3-cann9").parameters.unregister_from_host.host_page;
  EXPECT_NEAR(static_cast<double>(step.count()), 25'000, 1'000);
}

TEST(Calibration, ControlTensorsOfPagedAttentionCostAbout24MicrosecondsPerRun) {
  const double both = map_ns(kKib, PageKind::kOrdinary).pair() + map_ns(256 * kKib, PageKind::kOrdinary).pair();
  EXPECT_NEAR(both, 24'000, 0.05 * 24'000);
}

TEST(Calibration, CopyWinsOneAccessOfA256KibTableAndMappingTheSecond) {
  const double pair = map_ns(256 * kKib, PageKind::kOrdinary).pair();
  EXPECT_LT(copy_ns(4), pair);
  EXPECT_GT(2 * copy_ns(4), pair);
  // A 1 KiB tensor is cheaper mapped from the first access.
  EXPECT_LT(map_ns(kKib, PageKind::kOrdinary).pair(), copy_ns(4));
}

TEST(Calibration, SixteenThousandReadsByCopyCostAbout156Milliseconds) {
  EXPECT_NEAR(16'384 * copy_ns(4), 156e6, 0.05 * 156e6);
}

TEST(Calibration, UnmeasuredAndCostlessCalibrationsHaveNoMapCost) {
  EXPECT_TRUE(shipped("a2a3-cann9").map_measured);
  for (const char* name : {"a5-unmeasured", "costless"}) {
    const Calibration calibration = shipped(name);
    EXPECT_FALSE(calibration.map_measured) << name;
    EXPECT_EQ(calibration.parameters.register_to_host, MapTerms{}) << name;
    EXPECT_EQ(calibration.parameters.unregister_from_host, MapTerms{}) << name;
  }
  EXPECT_EQ(shipped("costless").parameters, CostParameters{});
}

TEST(Calibration, A5BorrowsItsCopiesFromTheA2a3) {
  const CostParameters a5 = shipped("a5-unmeasured").parameters;
  const CostParameters a2a3 = shipped("a2a3-cann9").parameters;
  EXPECT_EQ(a5.copy_from_device, a2a3.copy_from_device);
  EXPECT_EQ(a5.copy_to_device, a2a3.copy_to_device);
  EXPECT_EQ(a5.set_memory, a2a3.set_memory);
  EXPECT_EQ(a5.launch, a2a3.launch);
}

TEST(Calibration, UnpublishedPricesAreListedAsAssumptions) {
  std::vector<std::string> parameters;
  for (const Assumption& assumption : shipped("a2a3-cann9").assumptions) parameters.push_back(assumption.parameter);
  EXPECT_THAT(parameters,
              testing::UnorderedElementsAre("failed_call", "copy_from_device", "copy_to_device", "set_memory",
                                            "allocate", "free", "view_load", "view_store", "launch"));
  EXPECT_EQ(shipped("a2a3-cann9").parameters.launch, Picoseconds(500'000'000));
}

TEST(Calibration, WrongValuesAreRefusedWithKeyAndWhatIsAllowed) {
  expect_refused("personality = \"v2\"", "personality = \"v1\"", "personality", "one of \"v2\"");
  expect_refused("host_page = 4096", "host_page = 4095", "host_page", "one of 4096, 65536");
  expect_refused("call_ps = 1_456_349", "call_ps = -1", "parameters.register.call_ps", "an integer from 0");
  expect_refused("call_ps = 1_456_349", "call_ps = 1.5", "parameters.register.call_ps", "an integer from 0");
  expect_refused("call_ps = 1_456_349\n", "", "parameters.register.call_ps", "an integer from 0");
  expect_refused("pages = 64", "pages = 65", "map_point[2].pages", "64, the pages of this kind");
  expect_refused("page_kind = \"ordinary\"", "page_kind = \"giant\"", "map_point[0].page_kind", "one of \"ordinary\"");
  expect_refused("register_median_ns = 1580", "register_median_ns = 0", "map_point[0].register_median_ns",
                 "an integer from 1");
  expect_refused("direction = \"d2h\"", "direction = \"d2d\"", "copy_point[0].direction", "one of \"d2h\", \"h2d\"");
  expect_refused("bytes = 64", "size = 64", "map_point[0].bytes", "an integer from 1");
  expect_refused("parameter = \"launch\"", "parameter = \"lunch\"", "assumption[8].parameter", "one of \"register\"");
  expect_refused("when = \"2026-09\"", "when = \"2026-09\"\nwho = \"us\"", "source.who", "the keys driver, method");
}

TEST(Calibration, RegisterWithoutUnregisterIsRefused) {
  const auto calibration = loaded(edited("[parameters.unregister]", "[other]"));
  ASSERT_FALSE(calibration.has_value());
  EXPECT_EQ(calibration.error().key, "parameters.unregister");
}

TEST(MapCostSource, SaysHowFarThePlatformIsFromTheMeasurement) {
  const Calibration measured = shipped("a2a3-cann9");
  Platform platform;
  EXPECT_EQ(map_cost_source(platform, measured), MapCostSource::kMeasured);
  platform.host_page = Bytes(65536);
  EXPECT_EQ(map_cost_source(platform, measured), MapCostSource::kPredicted);
  platform.host_page = Bytes(4096);
  platform.device_page = Bytes(65536);
  EXPECT_EQ(map_cost_source(platform, measured), MapCostSource::kPredicted);
  platform.personality = Personality::kV3;
  EXPECT_EQ(map_cost_source(platform, measured), MapCostSource::kBorrowed);
  EXPECT_EQ(map_cost_source(platform, shipped("a5-unmeasured")), MapCostSource::kNotMeasured);
}

TEST(PlatformAssumptions, CostOfMappingComesFirstUnlessItWasMeasured) {
  const Calibration measured = shipped("a2a3-cann9");
  const auto first = [](const Platform& platform, const Calibration& calibration) {
    return platform_assumptions(platform, calibration).front().parameter;
  };
  Platform platform;
  EXPECT_EQ(platform_assumptions(platform, measured).size(), measured.assumptions.size());
  platform.host_page = Bytes(65536);
  EXPECT_EQ(first(platform, measured), "map and unmap (predicted)");
  platform.personality = Personality::kV3;
  EXPECT_EQ(first(platform, measured), "map and unmap (borrowed)");
  platform.host_map_path = false;
  EXPECT_EQ(first(platform, measured), "map and unmap (no host-map path)");
  EXPECT_EQ(first(Platform{}, shipped("a5-unmeasured")), "map and unmap (cost not measured)");
}

TEST(MapCostSource, NamesAreStable) {
  EXPECT_EQ(name_of(MapCostSource::kMeasured), "measured");
  EXPECT_EQ(name_of(MapCostSource::kPredicted), "predicted");
  EXPECT_EQ(name_of(MapCostSource::kBorrowed), "borrowed");
  EXPECT_EQ(name_of(MapCostSource::kNotMeasured), "not_measured");
}

}  // namespace
}  // namespace svmsim
