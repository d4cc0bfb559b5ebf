// SPDX-License-Identifier: Apache-2.0
#include "sim/cost/sweep.h"
#include "sim/cost/testing/byte_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace svmsim {
namespace {

using testing::HasSubstr;

// Prices that show which pages were counted.
Calibration plain_calibration() {
  Calibration calibration;
  calibration.name = "plain";
  calibration.map_measured = true;
  calibration.parameters.register_to_host = {Picoseconds(1'000'000'000), Picoseconds(1'000'000), Picoseconds(1)};
  calibration.parameters.unregister_from_host = {Picoseconds(2'000'000'000), Picoseconds(2'000'000), Picoseconds(2)};
  calibration.parameters.copy_from_device = {Picoseconds(10), Picoseconds(1 << 20)};
  calibration.parameters.copy_to_device = {Picoseconds(20), Picoseconds(1 << 20)};
  return calibration;
}

MapCostRow row_of(const Platform& platform, std::uint64_t bytes) {
  const Bytes sizes[] = {Bytes(bytes)};
  CostSweep sweep = cost_sweep(platform, plain_calibration(), sizes);
  return sweep.map_rows.at(0);
}

void expect_priced(const Platform& platform, std::uint64_t bytes) {
  EXPECT_TRUE(row_of(platform, bytes).pair_cost.has_value()) << row_of(platform, bytes).reason;
}

void expect_unpriced(const Platform& platform, std::uint64_t bytes, const std::string& reason) {
  const MapCostRow row = row_of(platform, bytes);
  EXPECT_EQ(row.register_cost, std::nullopt);
  EXPECT_EQ(row.unregister_cost, std::nullopt);
  EXPECT_EQ(row.pair_cost, std::nullopt);
  EXPECT_THAT(row.reason, HasSubstr(reason));
}

TEST(Sweep, DefaultSizesAreTheDocumentedTen) {
  const auto sizes = default_sweep_sizes();
  EXPECT_THAT(std::vector<Bytes>(sizes.begin(), sizes.end()),
              testing::ElementsAre(Bytes(64), Bytes(4096), Bytes(65536), Bytes(262144), Bytes(1048576), Bytes(4194304),
                                   Bytes(16777216), Bytes(67108864), Bytes(268435456), Bytes(1073741824)));
}

TEST(Sweep, AclMallocTakesHugePagesAboveOneMibLess32Bytes) {
  EXPECT_EQ(acl_malloc_page_kind(Bytes(kMib - 32)), PageKind::kOrdinary);
  EXPECT_EQ(acl_malloc_page_kind(Bytes(kMib - 31)), PageKind::kHuge);
}

TEST(Sweep, RowCountsPagesOfTheBlockAndPricesThePair) {
  const MapCostRow ordinary = row_of(Platform{}, 256 * kKib);
  EXPECT_EQ(ordinary.page_kind, PageKind::kOrdinary);
  EXPECT_EQ(ordinary.pages, 64U);
  EXPECT_EQ(ordinary.register_cost, Picoseconds(1'064'000'064));
  EXPECT_EQ(ordinary.unregister_cost, Picoseconds(2'128'000'128));
  EXPECT_EQ(ordinary.pair_cost, Picoseconds(3'192'000'192));
  EXPECT_EQ(ordinary.reason, "");

  const MapCostRow huge = row_of(Platform{}, kMib);
  EXPECT_EQ(huge.page_kind, PageKind::kHuge);
  EXPECT_EQ(huge.pages, 1U);
  EXPECT_EQ(huge.register_cost, Picoseconds(1'001'000'512));
  EXPECT_EQ(huge.unregister_cost, Picoseconds(2'002'001'024));
}

TEST(Sweep, RowsFollowTheSizesAskedFor) {
  const Bytes sizes[] = {Bytes(4 * kMib), Bytes(64)};
  const CostSweep sweep = cost_sweep(Platform{}, plain_calibration(), sizes);
  ASSERT_EQ(sweep.map_rows.size(), 2U);
  EXPECT_EQ(sweep.map_rows[0].bytes, Bytes(4 * kMib));
  EXPECT_EQ(sweep.map_rows[1].bytes, Bytes(64));
  EXPECT_EQ(sweep.map_cost_source, MapCostSource::kMeasured);
}

TEST(Sweep, CopyRowsCoverBothDirectionsOfTheFixedSizes) {
  const CostSweep sweep = cost_sweep(Platform{}, plain_calibration(), {});
  std::vector<std::uint64_t> sizes;
  for (const CopyCostRow& row : sweep.copy_rows) sizes.push_back(row.bytes.count());
  EXPECT_THAT(sizes,
              testing::ElementsAre(4, 4, 8, 8, 64, 64, 4096, 4096, 65536, 65536, kMib, kMib, 64 * kMib, 64 * kMib));
  EXPECT_EQ(sweep.copy_rows[0].direction, CopyDirection::kFromDevice);
  EXPECT_EQ(sweep.copy_rows[0].cost, Picoseconds(14));
  EXPECT_EQ(sweep.copy_rows[1].direction, CopyDirection::kToDevice);
  EXPECT_EQ(sweep.copy_rows[1].cost, Picoseconds(24));
  EXPECT_TRUE(sweep.map_rows.empty());
}

TEST(Sweep, V2OnA64KibHostPricesHugePagesOnly) {
  Platform platform;
  platform.host_page = Bytes(65536);
  expect_unpriced(platform, 256 * kKib, "the device page is 4096 bytes and the host page 65536");
  expect_unpriced(platform, kMib - 32, "refuses ordinary pages");
  // 32 host pages instead of 512: a sixteenth of the walk.
  EXPECT_EQ(row_of(platform, kMib).register_cost, Picoseconds(1'001'000'032));
  platform.device_page = Bytes(65536);
  expect_priced(platform, 256 * kKib);
}

TEST(Sweep, V2VirtualMachineWithoutWriteCombiningPricesNothing) {
  Platform platform;
  platform.host = HostKind::kVmWithoutWc;
  expect_unpriced(platform, 64, "no write-combining");
  expect_unpriced(platform, 4 * kMib, "no write-combining");
  platform.personality = Personality::kV3;
  expect_priced(platform, 64);
}

TEST(Sweep, V3OnA64KibHostNeedsWholeContiguousHostPages) {
  Platform platform;
  platform.personality = Personality::kV3;
  platform.host_page = Bytes(65536);
  expect_unpriced(platform, 4096, "not a multiple of the host page of 65536 bytes");
  expect_unpriced(platform, 65537, "not a multiple of the host page");
  expect_priced(platform, 65536);
  expect_priced(platform, 65535);  // its pages end at 65536
  platform.fragmented = true;
  expect_unpriced(platform, 65536, "not physically contiguous");
  expect_priced(platform, 4 * kMib);
}

TEST(Sweep, PlatformWithoutAHostMapPathSaysSo) {
  Platform platform;
  platform.host_map_path = false;
  expect_unpriced(platform, 4 * kMib, "no host-map path");
}

TEST(Sweep, CalibrationWithoutMapCostsSaysNotMeasured) {
  Calibration calibration = plain_calibration();
  calibration.map_measured = false;
  const Bytes sizes[] = {Bytes(64)};
  const CostSweep sweep = cost_sweep(Platform{}, calibration, sizes);
  EXPECT_EQ(sweep.map_cost_source, MapCostSource::kNotMeasured);
  EXPECT_EQ(sweep.map_rows[0].pair_cost, std::nullopt);
  EXPECT_THAT(sweep.map_rows[0].reason, HasSubstr("cost not measured"));
}

TEST(Sweep, BorrowedCalibrationPricesAV3PlatformAndIsLabelled) {
  Platform platform;
  platform.personality = Personality::kV3;
  const Bytes sizes[] = {Bytes(64)};
  const CostSweep sweep = cost_sweep(platform, plain_calibration(), sizes);
  EXPECT_EQ(sweep.map_cost_source, MapCostSource::kBorrowed);
  EXPECT_TRUE(sweep.map_rows[0].pair_cost.has_value());
}

TEST(Sweep, SizeThatCannotBeAllocatedHasAReason) {
  Platform platform;
  expect_unpriced(platform, 0, "at least one byte");
  expect_priced(platform, platform.hbm.count() - 32);  // P4 adds 32 bytes
  expect_unpriced(platform, platform.hbm.count() - 31, "the device has 68719476736 bytes");
  expect_unpriced(platform, UINT64_MAX, "the device has");
}

}  // namespace
}  // namespace svmsim
