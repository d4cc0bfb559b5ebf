// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v2_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

inline constexpr Bytes k1_6MiB{1677722};  // rounded up: 410 pages
inline constexpr Bytes k1_7MiB{1782580};

TEST(P1V2, FirstBlockOfEitherKindStartsAtTheDeviceBase) {
  DriverRig ordinary(v2_platform());
  EXPECT_EQ(ordinary.alloc(Bytes(1)), DeviceAddr(0x12c000000000));
  DriverRig huge(v2_platform());
  EXPECT_EQ(huge.alloc_huge(Bytes(1)), DeviceAddr(0x12c000000000));
}

TEST(P1V2, EachDeviceAndKindHasAHeapOfItsOwn) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.alloc(kPage), kDeviceBase);
  EXPECT_EQ(rig.alloc_huge(kPage), kDeviceBase + kGiB);
  EXPECT_EQ(rig.alloc(kPage, kOrdinaryDevice0 | 1), kDeviceBase + times(2, kGiB));
  EXPECT_EQ(rig.alloc(times(2, kMiB)), kDeviceBase + times(2, kMiB));
}

TEST(P3, Block1_6MiBSharesItsSegment) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(k1_6MiB);
  EXPECT_EQ(rig.alloc(kPage), base + times(410, kPage));
  EXPECT_EQ(rig.backing().populated_bytes(), times(2, kMiB));
}

TEST(P3, Block1_7MiBOwnsItsSegmentAlone) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(k1_7MiB);
  EXPECT_EQ(rig.alloc(kPage), base + times(2, kMiB));
  EXPECT_EQ(rig.backing().populated_bytes(), times(4, kMiB));
}

TEST(P3, TailOf20PercentInWholePagesIsTheBoundary) {
  const Bytes two_mib = times(2, kMiB);
  EXPECT_TRUE(p3_shares_tail(times(410, kPage), two_mib, times(18, kMiB)));
  EXPECT_FALSE(p3_shares_tail(times(411, kPage), two_mib, times(18, kMiB)));
  EXPECT_TRUE(p3_shares_tail(times(8, kMiB), times(10, kMiB), times(18, kMiB)));
  EXPECT_FALSE(p3_shares_tail(times(8, kMiB) + kPage, times(10, kMiB), times(18, kMiB)));
}

TEST(P3, TailOfASegmentAboveTheCacheThresholdIsNotShared) {
  EXPECT_TRUE(p3_shares_tail(times(9, kMiB), times(18, kMiB), times(18, kMiB)));
  EXPECT_FALSE(p3_shares_tail(times(9, kMiB), times(20, kMiB), times(18, kMiB)));
}

TEST(P3, BlocksUpTo512MiBShareAHeapAndLargerOnesTakeTheirOwnGiBs) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.alloc_huge(times(512, kMiB)), kDeviceBase);
  EXPECT_EQ(rig.alloc_huge(times(512, kMiB) + Bytes(1)), kDeviceBase + kGiB);
  EXPECT_EQ(rig.alloc_huge(times(512, kMiB)), kDeviceBase + times(512, kMiB));
  EXPECT_EQ(rig.alloc_huge(kGiB + Bytes(1)), kDeviceBase + times(2, kGiB));
  EXPECT_EQ(rig.alloc_huge(Bytes(1)), kDeviceBase + times(4, kGiB));
}

TEST(P3, GiantBlockTakesWholeGiBs) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.alloc(Bytes(1), kGiantDevice0), kDeviceBase);
  EXPECT_EQ(rig.backing().populated_bytes(), kGiB);
  EXPECT_EQ(rig.alloc(Bytes(1), kGiantDevice0), kDeviceBase + kGiB);
}

TEST(P3, ACachedHugeSegmentIsSplitForASmallerRequest) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc_huge(times(8, kMiB));
  ASSERT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_huge(times(2, kMiB)), base);
  EXPECT_EQ(rig.alloc_huge(times(4, kMiB)), base + times(2, kMiB));
  EXPECT_EQ(rig.backing().populated_bytes(), times(8, kMiB));
}

TEST(P3, ReadOnlyMemoryDoesNotShareSegments) {
  DriverRig rig(v2_platform());
  const DeviceAddr read_only = rig.alloc(kPage, kOrdinaryDevice0 | kAllocReadOnly);
  EXPECT_EQ(rig.alloc(kPage), read_only + kGiB);
}

TEST(Hbm, CountsKernelSegmentsPerDevice) {
  Platform platform = v2_platform();
  platform.hbm = times(4, kMiB);
  DriverRig rig(platform);
  rig.alloc(kPage);
  rig.alloc(kPage);  // in the tail of the first segment
  rig.alloc(times(2, kMiB));
  EXPECT_EQ(rig.alloc_code(times(2, kMiB), kHugeDevice0), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(times(4, kMiB), kHugeDevice0 | 1), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_code(kPage, kHugeDevice0 | 1), DriverCode::kOutOfMemory);
}

TEST(Hbm, DefaultDeviceHolds64GiBAndNotAPageMore) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc_huge(times(64, kGiB));
  EXPECT_EQ(rig.alloc_code(kPage), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_code(times(64, kGiB) + Bytes(1), kHugeDevice0), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(kPage), DriverCode::kNone);
}

TEST(Hbm, SizesAtTheEndOfTheAddressSpaceAreOutOfMemory) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.alloc_code(times(8, kTiB) - Bytes(1)), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(Bytes(UINT64_MAX)), DriverCode::kOutOfMemory);
}

TEST(Hbm, RunningOutOfAddressesIsOutOfMemory) {
  DriverRig rig(v2_platform(), AddressLayout{kDeviceBase, times(2, kGiB)});
  rig.alloc(kPage);
  rig.alloc_huge(times(512, kMiB));
  EXPECT_EQ(rig.alloc_code(times(512, kMiB) + Bytes(1), kHugeDevice0), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(times(512, kMiB), kHugeDevice0), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_code(kPage, kHugeDevice0), DriverCode::kOutOfMemory);
}

TEST(P5V2, OnlyTheBaseOfALiveBlockCanBeFreed) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  EXPECT_EQ(rig.free(DeviceAddr()), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(DeviceAddr(0x1000)), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(base + kPage), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(base + times(4, kPage)), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_EQ(rig.free(base), DriverCode::kInvalidValue);
}

TEST(P2V2, SizeZeroIsRefusedByTheDriver) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.alloc_code(Bytes(0)), DriverCode::kInvalidValue);
}

TEST(F2, HugeSegmentsUpTo36MiBStayInTheCache) {
  DriverRig rig(v2_platform());
  const DeviceAddr at = rig.alloc_huge(times(36, kMiB));
  ASSERT_EQ(rig.free(at), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(36, kMiB));
  const DeviceAddr above = rig.alloc_huge(times(36, kMiB) + Bytes(1));
  ASSERT_EQ(rig.free(above), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(36, kMiB));
}

TEST(F2, OrdinarySegmentsUpTo18MiBStayInTheCache) {
  DriverRig rig(v2_platform());
  const DeviceAddr at = rig.alloc(times(18, kMiB));
  ASSERT_EQ(rig.free(at), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(18, kMiB));
  const DeviceAddr above = rig.alloc(times(18, kMiB) + kPage);
  ASSERT_EQ(rig.free(above), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), times(18, kMiB));
}

TEST(F2, NewestHeapServesFirst) {
  DriverRig rig(v2_platform());
  const DeviceAddr old_keeper = rig.alloc_huge(times(512, kMiB));
  const DeviceAddr old_small = rig.alloc_huge(times(2, kMiB));
  rig.alloc_huge(times(508, kMiB));
  const DeviceAddr new_small = rig.alloc_huge(times(4, kMiB));  // does not fit the 2 MiB left: a second heap
  rig.alloc_huge(times(2, kMiB));
  ASSERT_EQ(new_small, old_keeper + kGiB);
  ASSERT_EQ(rig.free(new_small), DriverCode::kNone);
  ASSERT_EQ(rig.free(old_small), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_huge(times(2, kMiB)), new_small);  // although the old heap has an exact fit
}

TEST(Reuse, DriverHandsTheCachedBlockOutAgain) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc_huge(times(2, kMiB));
  ASSERT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_huge(times(2, kMiB)), base);
}

TEST(Reuse, LifoGivesPagesBackAndReissuesTheLatestFirst) {
  Platform platform = v2_platform();
  platform.reuse = AddressReuse::kLifo;
  DriverRig rig(platform);
  const DeviceAddr first = rig.alloc_huge(times(2, kMiB));
  const DeviceAddr second = rig.alloc_huge(times(2, kMiB));
  const DeviceAddr other_size = rig.alloc_huge(times(4, kMiB));
  ASSERT_EQ(rig.free(first), DriverCode::kNone);
  ASSERT_EQ(rig.free(second), DriverCode::kNone);
  ASSERT_EQ(rig.free(other_size), DriverCode::kNone);
  EXPECT_EQ(rig.backing().populated_bytes(), Bytes(0));
  EXPECT_EQ(rig.alloc_huge(Bytes(1)), second);
  EXPECT_EQ(rig.alloc_huge(Bytes(1)), first);
}

TEST(Reuse, LifoReissuesLargeBlocksAcrossHeaps) {
  Platform platform = v2_platform();
  platform.reuse = AddressReuse::kLifo;
  DriverRig rig(platform);
  const DeviceAddr first = rig.alloc_huge(times(600, kMiB));
  const DeviceAddr second = rig.alloc_huge(times(600, kMiB));
  ASSERT_EQ(rig.free(first), DriverCode::kNone);
  ASSERT_EQ(rig.free(second), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_huge(times(600, kMiB)), second);
}

TEST(Reuse, QuarantineNeverReissuesAnAddress) {
  Platform platform = v2_platform();
  platform.reuse = AddressReuse::kQuarantine;
  DriverRig rig(platform);
  const DeviceAddr small = rig.alloc_huge(times(2, kMiB));
  ASSERT_EQ(rig.free(small), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_huge(times(2, kMiB)), small + times(2, kMiB));
  const DeviceAddr large = rig.alloc_huge(times(600, kMiB));
  ASSERT_EQ(rig.free(large), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_huge(times(600, kMiB)), large + kGiB);
  rig.driver().device_close();
  EXPECT_EQ(rig.alloc_huge(times(2, kMiB)), large + times(2, kGiB));
}

TEST(Reuse, LifoAndQuarantineRefuseToFreeAMappedBlockOfAnySize) {
  for (const AddressReuse reuse : {AddressReuse::kLifo, AddressReuse::kQuarantine}) {
    Platform platform = v2_platform();
    platform.reuse = reuse;
    DriverRig rig(platform);
    const DeviceAddr base = rig.alloc(kPage);
    ASSERT_EQ(rig.reg(base, kPage), DriverCode::kNone);
    EXPECT_EQ(rig.free(base), DriverCode::kBusy);
    ASSERT_EQ(rig.unreg(base), DriverCode::kNone);
    EXPECT_EQ(rig.free(base), DriverCode::kNone);
  }
}

TEST(State, LiveBlocksAreWhatWasAskedForInAddressOrder) {
  DriverRig rig(v2_platform());
  const DeviceAddr ordinary = rig.alloc(Bytes(100));
  const DeviceAddr huge = rig.alloc_huge(Bytes(3000000));
  const DeviceAddr freed = rig.alloc(Bytes(7));
  ASSERT_EQ(rig.free(freed), DriverCode::kNone);
  const auto blocks = rig.driver().live_blocks();
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].base, ordinary);
  EXPECT_EQ(blocks[0].size, Bytes(100));
  EXPECT_EQ(blocks[0].kind, PageKind::kOrdinary);
  EXPECT_EQ(blocks[1].base, huge);
  EXPECT_EQ(blocks[1].size, Bytes(3000000));
  EXPECT_EQ(blocks[1].kind, PageKind::kHuge);
}

TEST(CheckCopy, IsBoundedByPopulatedPages) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc_huge(times(2, kMiB));
  EXPECT_EQ(rig.driver().check_copy(base, times(2, kMiB)), DriverCode::kNone);
  EXPECT_EQ(rig.driver().check_copy(base + Bytes(1), times(2, kMiB)), DriverCode::kParaError);
  rig.alloc_huge(times(2, kMiB));
  EXPECT_EQ(rig.driver().check_copy(base + Bytes(1), times(2, kMiB)), DriverCode::kNone);
  EXPECT_EQ(rig.driver().check_copy(base, Bytes(UINT64_MAX)), DriverCode::kParaError);
  EXPECT_EQ(rig.driver().check_copy(DeviceAddr(), Bytes(1)), DriverCode::kParaError);
  EXPECT_EQ(rig.driver().check_copy(base + times(4, kMiB), Bytes(1)), DriverCode::kParaError);
}

}  // namespace
}  // namespace svmsim
