// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/acl_malloc.h"

#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"

namespace svmsim {
namespace {

inline constexpr std::uint64_t kHugeFlag = 0x2100000000924400;
inline constexpr std::uint64_t kOrdinaryFlag = 0x2100000000904400;

AclMallocPlan plan(std::uint64_t bytes, AclMallocPolicy policy) { return p4_acl_malloc(bytes, policy, 0); }

TEST(P4, PadsToThirtyTwoBytesAndThirtyTwoMore) {
  EXPECT_EQ(plan(1, AclMallocPolicy::kHugeFirst).size, 64u);
  EXPECT_EQ(plan(32, AclMallocPolicy::kHugeFirst).size, 64u);
  EXPECT_EQ(plan(33, AclMallocPolicy::kHugeFirst).size, 96u);
}

TEST(P4, Align32OnlyRounds) {
  EXPECT_EQ(p4_acl_malloc(32, AclMallocPolicy::kHugeFirst, 0, AclPadding::kMallocAlign32).size, 32u);
  EXPECT_EQ(p4_acl_malloc(33, AclMallocPolicy::kHugeFirst, 0, AclPadding::kMallocAlign32).size, 64u);
}

TEST(P4, Huge1GIsNotPadded) {
  EXPECT_EQ(plan(33, AclMallocPolicy::kHuge1G).size, 33u);
  EXPECT_EQ(plan(33, AclMallocPolicy::kHuge1GP2p).size, 33u);
}

TEST(P4, PaddingThatOverflowsAsksForTheLargestSize) {
  EXPECT_EQ(plan(UINT64_MAX - 63, AclMallocPolicy::kHugeFirst).size, UINT64_MAX);
  EXPECT_EQ(plan(UINT64_MAX - 64, AclMallocPolicy::kHugeFirst).size, UINT64_MAX - 31);
}

TEST(P4, HugeFirstIsOrdinaryUpToOneMiBMinus32) {
  const AclMallocPlan at = plan((1 << 20) - 32, AclMallocPolicy::kHugeFirst);
  EXPECT_EQ(at.size, std::uint64_t{1} << 20);
  EXPECT_EQ(at.flag, kOrdinaryFlag);
  EXPECT_FALSE(at.fallback_flag.has_value());
}

TEST(P4, HugeFirstIsHugeOneByteAboveWithOrdinaryFallback) {
  const AclMallocPlan above = plan((1 << 20) - 31, AclMallocPolicy::kHugeFirst);
  EXPECT_EQ(above.size, (std::uint64_t{1} << 20) + 32);
  EXPECT_EQ(above.flag, kHugeFlag);
  EXPECT_EQ(above.fallback_flag, kOrdinaryFlag);
}

TEST(P4, UnknownPolicyIsHugeFirst) {
  const AclMallocPlan unknown = plan(std::uint64_t{2} << 20, static_cast<AclMallocPolicy>(99));
  EXPECT_EQ(unknown.flag, kHugeFlag);
  EXPECT_EQ(unknown.fallback_flag, kOrdinaryFlag);
}

TEST(P4, FixedPoliciesKeepTheirKindAtAnySize) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{64} << 20}) {
    EXPECT_EQ(plan(bytes, AclMallocPolicy::kHugeOnly).flag, kHugeFlag);
    EXPECT_EQ(plan(bytes, AclMallocPolicy::kNormalOnly).flag, kOrdinaryFlag);
    for (const AclMallocPolicy p2p :
         {AclMallocPolicy::kHugeFirstP2p, AclMallocPolicy::kHugeOnlyP2p, AclMallocPolicy::kNormalOnlyP2p}) {
      EXPECT_EQ(plan(bytes, p2p).flag, kOrdinaryFlag | std::uint64_t{1} << 25);
      EXPECT_FALSE(plan(bytes, p2p).fallback_flag.has_value());
    }
    EXPECT_EQ(plan(bytes, AclMallocPolicy::kHuge1G).flag, kOrdinaryFlag | std::uint64_t{1} << 31);
    EXPECT_FALSE(plan(bytes, AclMallocPolicy::kHugeOnly).fallback_flag.has_value());
  }
}

TEST(P4, DeviceIdGoesIntoTheLowBits) {
  EXPECT_EQ(p4_acl_malloc(1, AclMallocPolicy::kHugeFirst, 5).flag, kOrdinaryFlag | 5);
}

TEST(P4, HugeFirstFallsBackToOrdinaryWhenHugeFails) {
  Platform platform = v2_platform();
  platform.hbm = times(4, kMiB);
  DriverRig rig(platform);
  rig.alloc(Bytes(1638400));       // 400 of 512 pages: its segment has room for 112 more
  rig.alloc_huge(times(2, kMiB));  // now the device is full
  const AclMallocPlan small{kKiB.count(), kHugeFlag, kOrdinaryFlag};
  const AllocOutcome outcome = acl_malloc(rig.driver(), small);
  EXPECT_EQ(outcome.code, DriverCode::kNone);
  EXPECT_EQ(outcome.address, kDeviceBase + Bytes(1638400));
}

TEST(P4, HugeOnlyFailsWithTheDriversCode) {
  Platform platform = v2_platform();
  platform.hbm = times(4, kMiB);
  DriverRig rig(platform);
  EXPECT_EQ(acl_malloc(rig.driver(), plan(times(4, kMiB).count(), AclMallocPolicy::kHugeOnly)).code,
            DriverCode::kOutOfMemory);
}

}  // namespace
}  // namespace svmsim
