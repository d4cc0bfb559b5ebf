// SPDX-License-Identifier: Apache-2.0
// U1 to U5 of the v2 driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

inline constexpr DriverCode kNoRecord = DriverCode::kNotExist;

TEST(U1, RecordIsKeyedByTheDeviceIdOfTheAllocationFlag) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(kPage, kOrdinaryDevice0 | 3);
  ASSERT_EQ(rig.reg(base, kPage, kDevSvmMapHost, 0), kOk);
  EXPECT_EQ(rig.unreg(base, 0), kNoRecord);
  EXPECT_EQ(rig.unreg(base, 66), kNoRecord);
  EXPECT_EQ(rig.unreg(base, 0xffffffff), kNoRecord);
  EXPECT_TRUE(rig.mapped(base, kPage));
  EXPECT_EQ(rig.unreg(base, 3), kOk);
}

TEST(U1, MappingMadeBeforeTheFeatureCallHasNoRecord) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  rig.records_on();
  EXPECT_EQ(rig.unreg(base), kNoRecord);
  EXPECT_TRUE(rig.mapped(base, kPage));
  EXPECT_EQ(rig.unreg_ex(base), kOk);
}

TEST(U1, BeforeTheFeatureCallTheIdIsIgnored) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  EXPECT_EQ(rig.unreg(base, 0xffffffff), kOk);
}

TEST(U1, OtherFeaturesAndBadDevicesDoNotSwitchRecordsOn) {
  DriverRig rig(v2_platform());
  EXPECT_TRUE(rig.driver().support_feature(0, kFeatureHostUva));
  EXPECT_FALSE(rig.driver().support_feature(66, kFeatureRegisterQuery));
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  EXPECT_EQ(rig.unreg(base, 9), kOk);
}

TEST(U1, ExIgnoresTheId) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  EXPECT_EQ(rig.driver().host_unregister_ex(base, 0xffffffff, kDevSvmMapHost).code, kOk);
  EXPECT_EQ(rig.unreg(base), kNoRecord);  // Ex with DEV_SVM_MAP_HOST deleted it
}

TEST(U2, CodesWithRecords) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(times(4, kPage));
  const DeviceAddr never = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  EXPECT_EQ(rig.unreg(base + kPage), kNoRecord);
  EXPECT_EQ(rig.unreg(base + Bytes(1)), kNoRecord);
  EXPECT_EQ(rig.unreg(never), kNoRecord);
  EXPECT_EQ(rig.unreg(kHostAddress), kNoRecord);
  EXPECT_EQ(rig.unreg(DeviceAddr()), kNoRecord);
  EXPECT_TRUE(rig.mapped(base, times(2, kPage)));
  EXPECT_EQ(rig.unreg(base), kOk);
  EXPECT_EQ(rig.unreg(base), kNoRecord);
}

// The same for Ex, and for halHostUnregister without records.
TEST(U2, CodesOfExAndWithoutRecords) {
  for (const bool ex : {true, false}) {
    DriverRig rig(v2_platform());
    const auto unreg = [&](DeviceAddr address) { return ex ? rig.unreg_ex(address) : rig.unreg(address); };
    const DeviceAddr base = rig.alloc(times(4, kPage));
    const DeviceAddr never = rig.alloc(kPage);
    ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
    EXPECT_EQ(unreg(base + kPage), kPara);
    EXPECT_EQ(unreg(base + Bytes(1)), kPara);
    EXPECT_EQ(unreg(never), kPara);
    EXPECT_EQ(unreg(kDeviceBase + k2MiB), kPara);
    EXPECT_EQ(unreg(kHostAddress), DriverCode::kFileOps);
    EXPECT_EQ(unreg(DeviceAddr()), DriverCode::kFileOps);
    EXPECT_EQ(unreg(base), kOk);
    EXPECT_EQ(unreg(base), kPara);
  }
}

TEST(U2, ExUnmapsByTypeAndOnlyDevSvmMapHostDeletesTheRecord) {
  for (const std::uint32_t type : {kHostMemMapDev, kHostSvmMapDev, kHostMemMapDevPcieTh, kHostIoMapDev}) {
    DriverRig rig(v2_platform());
    rig.records_on();
    const DeviceAddr base = rig.alloc(kPage);
    ASSERT_EQ(rig.reg(base, kPage), kOk);
    EXPECT_EQ(rig.unreg_ex(base, type), kOk);
    EXPECT_FALSE(rig.mapped(base, kPage));
    EXPECT_EQ(rig.unreg(base), kPara);  // the record is stale
  }
}

TEST(U2, ExWithOtherTypesLeavesTheMapping) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  EXPECT_EQ(rig.unreg_ex(base, kDevMemMapHost), DriverCode::kFileOps);
  EXPECT_EQ(rig.unreg_ex(base, kMapTypeEnd), DriverCode::kNotSupport);
  EXPECT_TRUE(rig.mapped(base, kPage));
}

TEST(U2, StaleRecordSwallowsTheRecordOfAnOverlappingRegistration) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  ASSERT_EQ(rig.unreg_ex(base, kHostMemMapDev), kOk);
  ASSERT_EQ(rig.reg(base + kPage, times(2, kPage)), kOk);
  EXPECT_EQ(rig.unreg(base + kPage), kNoRecord);
  EXPECT_TRUE(rig.mapped(base + kPage, times(2, kPage)));
  ASSERT_EQ(rig.reg(base + times(3, kPage), kPage), kOk);
  EXPECT_EQ(rig.unreg(base + times(3, kPage)), kOk);  // beside the stale one: has a record
}

TEST(U2, StaleRecordBehindTheStartSwallowsToo) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base + kPage, kPage), kOk);
  ASSERT_EQ(rig.unreg_ex(base + kPage, kHostMemMapDev), kOk);
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  EXPECT_EQ(rig.unreg(base), kNoRecord);
}

TEST(U2, StaleRecordAtTheSameStartServesTheNewRegistration) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  ASSERT_EQ(rig.unreg_ex(base, kHostMemMapDev), kOk);
  ASSERT_EQ(rig.reg(base, times(3, kPage)), kOk);
  EXPECT_EQ(rig.unreg(base), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
}

// A and B are segments that touch; A's registration runs over B and is dropped.
class U3Tail : public testing::TestWithParam<bool> {};

TEST_P(U3Tail, UnregisterStopsAtTheEndOfTheSegmentAndTheTailHasNoOwner) {
  const bool records = GetParam();
  DriverRig rig(v2_platform());
  if (records) rig.records_on();
  const DeviceAddr a = rig.alloc_huge(k2MiB);
  const DeviceAddr b = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(a, times(4, kMiB)), kOk);
  const auto outcome = rig.driver().host_unregister(a, 0);
  EXPECT_EQ(outcome.code, kOk);
  EXPECT_EQ(outcome.walk.allocation_pages, 1u);
  EXPECT_EQ(outcome.walk.host_pages, 512u);
  EXPECT_FALSE(rig.mapped(a, kPage));
  EXPECT_TRUE(rig.mapped(b, k2MiB));
  EXPECT_EQ(rig.reg(b, k2MiB), kPara);
  EXPECT_EQ(rig.unreg(b), records ? kNoRecord : kPara);
  EXPECT_EQ(rig.unreg_ex(b), kPara);
  EXPECT_EQ(rig.reg(a, k2MiB), kOk);
  EXPECT_EQ(rig.unreg(a), kOk);
  EXPECT_TRUE(rig.mapped(b, k2MiB));
}
INSTANTIATE_TEST_SUITE_P(WithAndWithoutRecords, U3Tail, testing::Bool());

TEST(U3, SmallBlockUnderATailIsReissuedStillMapped) {
  DriverRig rig(v2_platform());
  const DeviceAddr a = rig.alloc_huge(k2MiB);
  const DeviceAddr b = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(a, times(4, kMiB)), kOk);
  ASSERT_EQ(rig.unreg(a), kOk);
  ASSERT_EQ(rig.free(b), kOk);
  EXPECT_EQ(rig.alloc_huge(k2MiB), b);
  EXPECT_TRUE(rig.mapped(b, k2MiB));
}

TEST(U3, LargeBlockUnderATailCannotBeFreed) {
  DriverRig rig(v2_platform());
  const DeviceAddr a = rig.alloc_huge(k2MiB);
  const DeviceAddr b = rig.alloc_huge(times(38, kMiB));
  ASSERT_EQ(rig.reg(a, times(4, kMiB)), kOk);
  ASSERT_EQ(rig.unreg(a), kOk);
  EXPECT_EQ(rig.free(b), DriverCode::kBusy);
}

TEST(U3, UnregisterStopsAtTheNextMappingOfTheSegment) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  ASSERT_EQ(rig.reg(base + times(2, kPage), times(2, kPage)), kOk);
  const auto outcome = rig.driver().host_unregister(base, 0);
  EXPECT_EQ(outcome.walk.allocation_pages, 2u);
  EXPECT_TRUE(rig.mapped(base + times(2, kPage), times(2, kPage)));
}

TEST(U4, UnregisterAfterACachedFreeDropsTheNextOwnersMapping) {
  DriverRig rig(v2_platform());
  const DeviceAddr old_owner = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(old_owner, k2MiB), kOk);
  ASSERT_EQ(rig.free(old_owner), kOk);
  EXPECT_EQ(rig.unreg(old_owner), kOk);
  const DeviceAddr new_owner = rig.alloc_huge(k2MiB);
  ASSERT_EQ(new_owner, old_owner);
  ASSERT_EQ(rig.reg(new_owner, k2MiB), kOk);
  EXPECT_EQ(rig.unreg(old_owner), kOk);
  EXPECT_FALSE(rig.mapped(new_owner, kPage));
}

TEST(U5V2, NeverFindsAMappingOfDeviceMemory) {
  DriverRig rig(v2_platform());
  const std::uint64_t host = kDeviceBase.value();
  EXPECT_EQ(rig.driver().host_get_device_pointer(0, 66).code, kPara);
  EXPECT_EQ(rig.driver().host_get_device_pointer(host, 66).code, DriverCode::kInvalidDevice);
  EXPECT_EQ(rig.driver().host_get_device_pointer(host, 65).code, DriverCode::kNotSupport);
  rig.records_on();
  EXPECT_EQ(rig.driver().host_get_device_pointer(host, 0).code, kNoRecord);
}

}  // namespace
}  // namespace svmsim
