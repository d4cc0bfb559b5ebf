// SPDX-License-Identifier: Apache-2.0
// F2, F2a, F2b and F3: what a free, a shrink and a close do to mappings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

TEST(F2, FreeOfAMappedHugeBlockIsRefusedOnlyAboveTheThreshold) {
  DriverRig rig(v2_platform());
  const DeviceAddr cached = rig.alloc_huge(times(36, kMiB));
  ASSERT_EQ(rig.reg(cached, Bytes(1)), DriverCode::kNone);
  EXPECT_EQ(rig.free(cached), DriverCode::kNone);
  const DeviceAddr large = rig.alloc_huge(times(36, kMiB) + Bytes(1));
  ASSERT_EQ(rig.reg(large, Bytes(1)), DriverCode::kNone);
  EXPECT_EQ(rig.free(large), DriverCode::kBusy);
  EXPECT_TRUE(rig.mapped(large, k2MiB));
  EXPECT_THAT(rig.driver().live_blocks(), testing::SizeIs(1));
  ASSERT_EQ(rig.unreg(large), DriverCode::kNone);
  EXPECT_EQ(rig.free(large), DriverCode::kNone);
}

TEST(F2, FreeOfAMappedOrdinaryBlockIsRefusedOnlyAboveTheThreshold) {
  DriverRig rig(v2_platform());
  const DeviceAddr cached = rig.alloc(times(18, kMiB));
  ASSERT_EQ(rig.reg(cached, Bytes(1)), DriverCode::kNone);
  EXPECT_EQ(rig.free(cached), DriverCode::kNone);
  const DeviceAddr large = rig.alloc(times(18, kMiB) + kPage);
  ASSERT_EQ(rig.reg(large + times(18, kMiB), Bytes(1)), DriverCode::kNone);
  EXPECT_EQ(rig.free(large), DriverCode::kBusy);
}

TEST(F2, FreeOfAMappedBlockAbove512MiBOrGiantIsIoctlFail) {
  DriverRig rig(v2_platform());
  const DeviceAddr at = rig.alloc_huge(times(512, kMiB));
  const DeviceAddr above = rig.alloc_huge(times(512, kMiB) + Bytes(1));
  const DeviceAddr giant = rig.alloc(Bytes(1), kGiantDevice0);
  for (const DeviceAddr base : {at, above, giant}) ASSERT_EQ(rig.reg(base, Bytes(1)), DriverCode::kNone);
  EXPECT_EQ(rig.free(at), DriverCode::kBusy);
  EXPECT_EQ(rig.free(above), DriverCode::kIoctlFail);
  EXPECT_EQ(rig.free(giant), DriverCode::kIoctlFail);
  EXPECT_EQ(rig.backing().mapped_bytes(), times(3, k2MiB));
  EXPECT_THAT(rig.driver().live_blocks(), testing::SizeIs(3));
}

TEST(F2, CachedBlockComesBackMappedAtTheSameAddress) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), DriverCode::kNone);
  ASSERT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_TRUE(rig.mapped(base, kPage));
  EXPECT_EQ(rig.alloc(kPage), base);
  EXPECT_TRUE(rig.mapped(base, kPage));
  EXPECT_EQ(rig.reg(base, kPage), DriverCode::kParaError);
  EXPECT_EQ(rig.unreg(base), DriverCode::kNone);
}

TEST(F2, MergeWithAFreeLeftNeighbourMovesTheNextBlockToItsStart) {
  DriverRig rig(v2_platform());
  const DeviceAddr left = rig.alloc(kPage);
  const DeviceAddr middle = rig.alloc(kPage);
  rig.alloc(kPage);
  ASSERT_EQ(rig.reg(middle, kPage), DriverCode::kNone);
  ASSERT_EQ(rig.free(left), DriverCode::kNone);
  ASSERT_EQ(rig.free(middle), DriverCode::kNone);
  EXPECT_EQ(rig.alloc(times(2, kPage)), left);
  EXPECT_EQ(rig.reg(left, times(2, kPage)), DriverCode::kParaError);  // its second page is still mapped
  EXPECT_EQ(rig.reg(left, kPage), DriverCode::kNone);
}

TEST(F2, RegisterOverACachedMappedBlockFromItsLeftNeighbourIsRefused) {
  DriverRig rig(v2_platform());
  const DeviceAddr left = rig.alloc_huge(k2MiB);
  const DeviceAddr right = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(right, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(right), DriverCode::kNone);
  EXPECT_EQ(rig.reg(left, times(4, kMiB)), DriverCode::kParaError);
  EXPECT_FALSE(rig.mapped(left, k2MiB));
}

TEST(F2a, IdleHeapBesideAnotherIsDestroyedWithItsMappings) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr small = rig.alloc_huge(k2MiB);
  rig.alloc_huge(times(513, kMiB));
  ASSERT_EQ(rig.reg(small, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(small), DriverCode::kNone);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
  EXPECT_FALSE(rig.backing().is_populated(small, k2MiB));
  EXPECT_EQ(rig.unreg(small), DriverCode::kParaError);  // the record is stale
  EXPECT_EQ(rig.reg(small, k2MiB), DriverCode::kParaError);
}

TEST(F2a, OnlyHeapOfItsListIsKept) {
  DriverRig rig(v2_platform());
  const DeviceAddr small = rig.alloc_huge(k2MiB);
  rig.alloc(kPage);                               // another kind
  rig.alloc_huge(k2MiB);                          // keeps nothing: freed below
  rig.alloc(times(513, kMiB), kHugeDevice0 | 1);  // another device
  ASSERT_EQ(rig.reg(small, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(small), DriverCode::kNone);
  ASSERT_EQ(rig.free(small + k2MiB), DriverCode::kNone);
  EXPECT_TRUE(rig.mapped(small, k2MiB));
  EXPECT_EQ(rig.alloc_huge(k2MiB), small + k2MiB);  // last in, first out
  EXPECT_EQ(rig.alloc_huge(k2MiB), small);
}

TEST(F2a, HeapWithABlockLeftIsKept) {
  DriverRig rig(v2_platform());
  const DeviceAddr freed = rig.alloc_huge(k2MiB);
  rig.alloc_huge(k2MiB);
  rig.alloc_huge(times(513, kMiB));
  ASSERT_EQ(rig.reg(freed, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(freed), DriverCode::kNone);
  EXPECT_TRUE(rig.mapped(freed, k2MiB));
}

TEST(F2a, FreeOfOneHeapDestroysEveryIdleHeapOfTheList) {
  DriverRig rig(v2_platform());
  const DeviceAddr idle = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(idle, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(idle), DriverCode::kNone);  // the only heap: stays
  const DeviceAddr first = rig.alloc_huge(times(513, kMiB));
  rig.alloc_huge(times(513, kMiB));
  ASSERT_TRUE(rig.mapped(idle, k2MiB));
  ASSERT_EQ(rig.free(first), DriverCode::kNone);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
  EXPECT_EQ(rig.backing().populated_bytes(), times(514, kMiB));
}

TEST(F2a, BlockAbove512MiBThatGoesLeavesTheOnlyOtherHeapAlone) {
  DriverRig rig(v2_platform());
  const DeviceAddr idle = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.free(idle), DriverCode::kNone);
  const DeviceAddr large = rig.alloc_huge(times(513, kMiB));
  ASSERT_EQ(rig.free(large), DriverCode::kNone);
  EXPECT_TRUE(rig.backing().is_populated(idle, k2MiB));
}

TEST(F2a, RefusedFreeDestroysNothing) {
  DriverRig rig(v2_platform());
  const DeviceAddr idle = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.free(idle), DriverCode::kNone);
  const DeviceAddr large = rig.alloc_huge(times(513, kMiB));
  ASSERT_EQ(rig.reg(large, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(large), DriverCode::kIoctlFail);
  EXPECT_TRUE(rig.backing().is_populated(idle, k2MiB));
}

// Blocks of `count` times `size` on huge pages.
std::vector<DeviceAddr> alloc_many(DriverRig& rig, std::uint64_t count, Bytes size) {
  std::vector<DeviceAddr> blocks;
  for (std::uint64_t i = 0; i < count; ++i) blocks.push_back(rig.alloc_huge(size));
  return blocks;
}
void free_all(DriverRig& rig, const std::vector<DeviceAddr>& blocks) {
  for (const DeviceAddr block : blocks) ASSERT_EQ(rig.free(block), DriverCode::kNone);
}

TEST(F2b, HeapShrinksToTheThresholdWhenItsCacheReachesTwiceAsMuch) {
  DriverRig rig(v2_platform());
  const auto blocks = alloc_many(rig, 35, k2MiB);
  const DeviceAddr last = rig.alloc_huge(k2MiB);
  free_all(rig, blocks);
  EXPECT_EQ(rig.backing().populated_bytes(), times(72, kMiB));  // 70 MiB cached
  ASSERT_EQ(rig.free(last), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(36, kMiB));
}

TEST(F2b, OrdinaryHeapShrinksAt36MiB) {
  DriverRig rig(v2_platform());
  std::vector<DeviceAddr> blocks;
  for (int i = 0; i < 18; ++i) blocks.push_back(rig.alloc(k2MiB));
  const DeviceAddr last = blocks.back();
  blocks.pop_back();
  free_all(rig, blocks);
  EXPECT_EQ(rig.backing().populated_bytes(), times(36, kMiB));
  ASSERT_EQ(rig.free(last), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(18, kMiB));
}

TEST(F2b, SmallestSegmentsGoFirst) {
  DriverRig rig(v2_platform());
  const DeviceAddr large = rig.alloc_huge(times(30, kMiB));
  const auto small = alloc_many(rig, 21, k2MiB);
  ASSERT_EQ(rig.free(large), DriverCode::kNone);
  free_all(rig, small);
  EXPECT_TRUE(rig.backing().is_populated(large, times(30, kMiB)));
  EXPECT_EQ(rig.backing().populated_bytes(), times(36, kMiB));
}

TEST(F2b, PiecesOfSegmentsStayAndOnlyWholeSegmentsGo) {
  DriverRig rig(v2_platform());
  free_all(rig, alloc_many(rig, 16, times(4, kMiB)));  // 64 MiB cached
  // Sixteen halves take eight of the segments wholly, since the rest of a split segment is an exact fit.
  const auto halves = alloc_many(rig, 16, k2MiB);
  ASSERT_EQ(rig.backing().populated_bytes(), times(64, kMiB));
  std::vector<DeviceAddr> pieces;
  for (std::size_t i = 0; i < halves.size(); i += 2) pieces.push_back(halves[i]);
  free_all(rig, pieces);  // 48 MiB cached: 16 in pieces, 32 in eight whole segments
  free_all(rig, alloc_many(rig, 4, times(6, kMiB)));
  // At 72 MiB the eight segments of 4 MiB go (40 left), then one of 6 MiB (34 left).
  EXPECT_EQ(rig.backing().populated_bytes(), times(64 + 24 - 8 * 4 - 6, kMiB));
  for (const DeviceAddr piece : pieces) EXPECT_TRUE(rig.backing().is_populated(piece, k2MiB));
}

TEST(F2b, MappedSegmentStopsTheShrinkAfterSmallerOnesHaveGone) {
  DriverRig rig(v2_platform());
  const DeviceAddr small = rig.alloc_huge(k2MiB);
  const DeviceAddr mapped = rig.alloc_huge(times(4, kMiB));
  const auto others = alloc_many(rig, 11, times(6, kMiB));
  ASSERT_EQ(rig.reg(mapped + k2MiB, Bytes(1)), DriverCode::kNone);
  ASSERT_EQ(rig.free(small), DriverCode::kNone);
  ASSERT_EQ(rig.free(mapped), DriverCode::kNone);
  free_all(rig, others);  // 72 MiB
  EXPECT_FALSE(rig.backing().is_populated(small, k2MiB));
  EXPECT_EQ(rig.backing().populated_bytes(), times(70, kMiB));
  EXPECT_TRUE(rig.mapped(mapped + k2MiB, k2MiB));
}

TEST(F2b, EveryLaterShrinkIsStoppedToo) {
  DriverRig rig(v2_platform());
  const DeviceAddr mapped = rig.alloc_huge(k2MiB);
  const auto others = alloc_many(rig, 18, times(4, kMiB));
  const DeviceAddr later = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(mapped, k2MiB), DriverCode::kNone);
  ASSERT_EQ(rig.free(mapped), DriverCode::kNone);
  free_all(rig, others);
  ASSERT_EQ(rig.backing().populated_bytes(), times(76, kMiB));
  ASSERT_EQ(rig.unreg(mapped), DriverCode::kNone);
  EXPECT_EQ(rig.free(later), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(76, kMiB));
}

TEST(F3, CloseDropsMappingsThenPagesAndDeletesRecords) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(base, k2MiB), DriverCode::kNone);
  EXPECT_THAT(rig.driver().mapped_extents(), testing::SizeIs(1));
  rig.driver().device_close();
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
  EXPECT_EQ(rig.backing().populated_bytes(), Bytes(0));
  EXPECT_EQ(rig.unreg(base), DriverCode::kNotExist);
  EXPECT_EQ(rig.free(base), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.alloc_huge(times(64, kGiB)), kDeviceBase);
}

}  // namespace
}  // namespace svmsim
