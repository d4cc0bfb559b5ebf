// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/alloc_rules.h"
#include "sim/driver/page_walk.h"

#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"

namespace svmsim {
namespace {

inline constexpr std::uint64_t kSmall = 4096;
inline constexpr std::uint64_t kContiguousMax = std::uint64_t{4} << 20;

Capabilities all_capabilities() { return {true, true, true, true}; }
DriverCode v2(std::uint64_t size, std::uint64_t flag) {
  return p2_check_v2(size, decode_alloc_flag(flag), r7_capabilities(v2_platform()));
}
DriverCode v3(std::uint64_t size, std::uint64_t flag) {
  return p2_check_v3(size, decode_alloc_flag(flag), r7_capabilities(v3_platform()));
}
std::uint64_t side_flag(std::uint64_t side) { return side << 10; }

TEST(PageKinds, HaveNames) {
  EXPECT_EQ(page_kind_name(PageKind::kOrdinary), "ordinary");
  EXPECT_EQ(page_kind_name(PageKind::kHuge), "huge");
  EXPECT_EQ(page_kind_name(PageKind::kGiant), "giant");
}

TEST(P1, RegisterPageIsDevicePageOrTwoMiB) {
  Platform platform = v2_platform();
  platform.device_page = Bytes(65536);
  EXPECT_EQ(p1_register_page(PageKind::kOrdinary, platform.device_page), Bytes(65536));
  EXPECT_EQ(p1_register_page(PageKind::kHuge, platform.device_page), times(2, kMiB));
  EXPECT_EQ(p1_register_page(PageKind::kGiant, platform.device_page), times(2, kMiB));
}

TEST(P2, GranularityIsFourKiBTwoMiBOneGiB) {
  EXPECT_EQ(p2_granularity(PageKind::kOrdinary), Bytes(4096));
  EXPECT_EQ(p2_granularity(PageKind::kHuge), times(2, kMiB));
  EXPECT_EQ(p2_granularity(PageKind::kGiant), kGiB);
}

TEST(P2, FlagWordOfAclrtMallocIsHbmDeviceHuge) {
  const AllocFlag flag = decode_alloc_flag(0x2100000000924403);
  EXPECT_EQ(flag.device_id, 3u);
  EXPECT_EQ(flag.side, MemorySide::kDevice);
  EXPECT_EQ(page_kind(flag), PageKind::kHuge);
  EXPECT_FALSE(flag.contiguous || flag.below_4g || flag.task_scheduler || flag.read_only);
  EXPECT_EQ(page_kind(decode_alloc_flag(0x2100000000904400)), PageKind::kOrdinary);
}

TEST(P2V2, GiantWithoutCapabilityComesBeforeGiantWithHuge) {
  Capabilities none = all_capabilities();
  none.giant_page = false;
  const AllocFlag both = decode_alloc_flag(kGiantDevice0 | kAllocHuge);
  EXPECT_EQ(p2_check_v2(kSmall, both, none), DriverCode::kNotSupport);
  EXPECT_EQ(p2_check_v2(kSmall, both, all_capabilities()), DriverCode::kInvalidValue);
}

TEST(P2V2, UnsupportedFlagComesBeforeGiantWithHuge) {
  EXPECT_EQ(v2(kSmall, kGiantDevice0 | kAllocHuge | kAllocTs), DriverCode::kNotSupport);
  EXPECT_EQ(p2_check_v2(kSmall, decode_alloc_flag(kOrdinaryDevice0 | kAllocTs), all_capabilities()), DriverCode::kNone);
}

TEST(P2V2, ContiguousUpToFourMiBOnOrdinaryPagesOnly) {
  EXPECT_EQ(v2(kContiguousMax, kOrdinaryDevice0 | kAllocContiguous), DriverCode::kNone);
  EXPECT_EQ(v2(kContiguousMax + 1, kOrdinaryDevice0 | kAllocContiguous), DriverCode::kInvalidValue);
  EXPECT_EQ(v2(kSmall, kHugeDevice0 | kAllocContiguous), DriverCode::kInvalidValue);
}

TEST(P2V2, ContiguousComesBeforeUnknownSide) {
  EXPECT_EQ(v2(kContiguousMax + 1, side_flag(9) | kAllocContiguous), DriverCode::kInvalidValue);
  EXPECT_EQ(v2(kContiguousMax, side_flag(9) | kAllocContiguous), DriverCode::kNotSupport);
}

TEST(P2V2, UnknownSideComesBeforeDeviceId) {
  EXPECT_EQ(v2(kSmall, side_flag(8) | 66), DriverCode::kNotSupport);
  EXPECT_EQ(v2(kSmall, side_flag(15)), DriverCode::kNotSupport);
}

TEST(P2V2, DeviceIdFrom66ComesBeforeSizeZero) {
  EXPECT_EQ(v2(0, kOrdinaryDevice0 | 66), DriverCode::kInvalidDevice);
  EXPECT_EQ(v2(kSmall, kOrdinaryDevice0 | 66), DriverCode::kInvalidDevice);
  EXPECT_EQ(v2(kSmall, kOrdinaryDevice0 | 65), DriverCode::kNone);
}

TEST(P2V2, SizeZeroAndEightTiB) {
  EXPECT_EQ(v2(0, kOrdinaryDevice0), DriverCode::kInvalidValue);
  EXPECT_EQ(v2(1, kOrdinaryDevice0), DriverCode::kNone);
  EXPECT_EQ(v2((std::uint64_t{8} << 40) - 1, kOrdinaryDevice0), DriverCode::kNone);
  EXPECT_EQ(v2(std::uint64_t{8} << 40, kOrdinaryDevice0), DriverCode::kOutOfMemory);
}

TEST(P2V3, SidesAndFlagsThatV3DoesNotKnow) {
  for (const std::uint64_t side : {0u, 4u, 5u}) EXPECT_EQ(v3(kSmall, side_flag(side)), DriverCode::kNotSupport);
  for (const std::uint64_t flag : {kAlloc4G, kAllocTs, kAllocReadOnly}) {
    EXPECT_EQ(v3(kSmall, kOrdinaryDevice0 | flag), DriverCode::kNotSupport);
  }
  EXPECT_EQ(v3(kSmall, kOrdinaryDevice0), DriverCode::kNone);
}

TEST(P2V3, ContiguousWithHugeIsNotSupportedButHasNoLimit) {
  EXPECT_EQ(v3(kSmall, kHugeDevice0 | kAllocContiguous), DriverCode::kNotSupport);
  EXPECT_EQ(v3(kContiguousMax + 1, kOrdinaryDevice0 | kAllocContiguous), DriverCode::kNone);
}

TEST(P2V3, GiantWithHugeIsInvalid) {
  EXPECT_EQ(v3(kSmall, kGiantDevice0 | kAllocHuge), DriverCode::kInvalidValue);
  EXPECT_EQ(v3(kSmall, kGiantDevice0), DriverCode::kNone);
}

TEST(P2V3, DeviceIdSizeZeroAnd208TiB) {
  EXPECT_EQ(v3(kSmall, kOrdinaryDevice0 | 66), DriverCode::kInvalidDevice);
  EXPECT_EQ(v3(0, kOrdinaryDevice0), DriverCode::kInvalidValue);
  EXPECT_EQ(v3(std::uint64_t{208} << 40, kOrdinaryDevice0), DriverCode::kNone);
  EXPECT_EQ(v3((std::uint64_t{208} << 40) + 1, kOrdinaryDevice0), DriverCode::kOutOfMemory);
}

TEST(R7, EqualPagesOnAPhysicalHostMapEveryKind) {
  const Capabilities capabilities = r7_capabilities(v2_platform());
  EXPECT_TRUE(r7_can_map(capabilities, PageKind::kOrdinary));
  EXPECT_TRUE(r7_can_map(capabilities, PageKind::kHuge));
  EXPECT_TRUE(r7_can_map(capabilities, PageKind::kGiant));
}

TEST(R7, A64KiBHostMapsHugePagesOnly) {
  const Capabilities capabilities = r7_capabilities(v2_64k_platform());
  EXPECT_FALSE(r7_can_map(capabilities, PageKind::kOrdinary));
  EXPECT_TRUE(r7_can_map(capabilities, PageKind::kHuge));
}

TEST(R7, A64KiBDeviceOnA64KiBHostMapsOrdinaryPages) {
  Platform platform = v2_64k_platform();
  platform.device_page = Bytes(65536);
  EXPECT_TRUE(r7_can_map(r7_capabilities(platform), PageKind::kOrdinary));
}

TEST(R7, AVmWithoutWriteCombineMapsNothing) {
  const Capabilities capabilities = r7_capabilities(v2_vm_platform());
  EXPECT_FALSE(r7_can_map(capabilities, PageKind::kOrdinary));
  EXPECT_FALSE(r7_can_map(capabilities, PageKind::kHuge));
  EXPECT_FALSE(r7_can_map(capabilities, PageKind::kGiant));
}

TEST(MemCtl, AnswersWhatIsAskedAndSupported) {
  const Capabilities full = r7_capabilities(v2_platform());
  EXPECT_EQ(mem_ctl_answer(full, 2, 0x3f, 0).mask, 0x1au);
  EXPECT_EQ(mem_ctl_answer(full, 2, 0x8, 0).mask, 0x8u);
  EXPECT_EQ(mem_ctl_answer(full, 2, 0x25, 0).mask, 0u);
}

TEST(MemCtl, FollowsR7OnRefusingHosts) {
  EXPECT_EQ(mem_ctl_answer(r7_capabilities(v2_64k_platform()), 2, 0xa, 0).mask, 0x8u);
  EXPECT_EQ(mem_ctl_answer(r7_capabilities(v2_vm_platform()), 2, 0xa, 0).mask, 0u);
  DriverRig v3_rig(v3_64k_platform());
  EXPECT_EQ(v3_rig.driver().mem_ctl(2, 0x1a, 0).mask, 0x18u);
}

TEST(MemCtl, RefusesOtherTypesAndDeviceIds) {
  const Capabilities full = r7_capabilities(v2_platform());
  EXPECT_EQ(mem_ctl_answer(full, 1, 0x2, 0).code, DriverCode::kNotSupport);
  EXPECT_EQ(mem_ctl_answer(full, 2, 0x2, 65).code, DriverCode::kNone);
  EXPECT_EQ(mem_ctl_answer(full, 2, 0x2, 66).code, DriverCode::kInvalidDevice);
}

TEST(Features, RegisterQueryIsV2Only) {
  EXPECT_TRUE(feature_supported(Personality::kV2, 0, 11));
  EXPECT_FALSE(feature_supported(Personality::kV3, 0, 11));
  EXPECT_FALSE(feature_supported(Personality::kIdentity, 0, 11));
}

TEST(Features, From13OnNothingIsSupported) {
  for (const Personality personality : {Personality::kV2, Personality::kV3}) {
    EXPECT_TRUE(feature_supported(personality, 0, 12));
    EXPECT_FALSE(feature_supported(personality, 0, 13));
    EXPECT_FALSE(feature_supported(personality, 0, -1));
    EXPECT_TRUE(feature_supported(personality, 65, 2));
    EXPECT_FALSE(feature_supported(personality, 66, 2));
  }
}

}  // namespace
}  // namespace svmsim
