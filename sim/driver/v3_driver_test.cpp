// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v3_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/register_rules.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

inline constexpr Bytes kHostPage64{65536};

TEST(P1V3, FirstBlockStartsAtTheDeviceBase) {
  DriverRig rig(v3_platform());
  EXPECT_EQ(rig.alloc(Bytes(1)), kDeviceBase);
  EXPECT_EQ(rig.alloc(Bytes(1)), kDeviceBase + kPage);
  EXPECT_EQ(rig.alloc_huge(Bytes(1)), kDeviceBase + k2MiB);
}

TEST(P2V3, TheOrderOfChecksIsV3s) {
  DriverRig rig(v3_platform());
  EXPECT_EQ(rig.alloc_code(times(5, kMiB), kOrdinaryDevice0 | kAllocContiguous), kOk);
  EXPECT_EQ(rig.alloc_code(kPage, kOrdinaryDevice0 | kAllocReadOnly), kUnsupported);
  EXPECT_EQ(rig.alloc_code(Bytes(0)), DriverCode::kInvalidValue);
}

TEST(P5V3, OnlyTheBaseOfALiveBlockCanBeFreed) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  EXPECT_EQ(rig.free(DeviceAddr()), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(base + kPage), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(kHostAddress), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.free(base), kOk);
  EXPECT_EQ(rig.free(base), DriverCode::kInvalidValue);
}

TEST(HbmV3, CountsWholePages) {
  Platform platform = v3_platform();
  platform.hbm = times(4, kMiB);
  DriverRig rig(platform);
  rig.alloc(Bytes(1));
  rig.alloc_huge(Bytes(1));
  EXPECT_EQ(rig.alloc_code(k2MiB - kPage + Bytes(1)), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(k2MiB - kPage), kOk);
  EXPECT_EQ(rig.alloc_code(Bytes(1)), DriverCode::kOutOfMemory);
}

TEST(HbmV3, RunningOutOfAddressesIsOutOfMemory) {
  DriverRig rig(v3_platform(), AddressLayout{kDeviceBase, times(8, kMiB)});
  EXPECT_EQ(rig.alloc_code(times(8, kMiB) + Bytes(1), kHugeDevice0), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(times(8, kMiB), kHugeDevice0), kOk);
}

TEST(FreeV3, PagesReturnAtOnceAndAddressesAreReissuedFirstFit) {
  DriverRig rig(v3_platform());
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  const DeviceAddr second = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.free(second), kOk);
  ASSERT_EQ(rig.free(first), kOk);
  EXPECT_EQ(rig.backing().populated_bytes(), Bytes(0));
  EXPECT_EQ(rig.alloc_huge(times(4, kMiB)), first);
}

TEST(ReuseV3, LifoReissuesTheLatestAndQuarantineNone) {
  Platform platform = v3_platform();
  platform.reuse = AddressReuse::kLifo;
  DriverRig lifo(platform);
  const DeviceAddr first = lifo.alloc(kPage);
  const DeviceAddr second = lifo.alloc(kPage);
  ASSERT_EQ(lifo.free(first), kOk);
  ASSERT_EQ(lifo.free(second), kOk);
  EXPECT_EQ(lifo.alloc(kPage), second);

  platform.reuse = AddressReuse::kQuarantine;
  DriverRig quarantine(platform);
  ASSERT_EQ(quarantine.free(quarantine.alloc(kPage)), kOk);
  EXPECT_EQ(quarantine.alloc(kPage), kDeviceBase + kPage);
}

TEST(R1V3, RegisterReturnsTheDeviceAddressAndCountsItsWalk) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc_huge(times(4, kMiB));
  const auto outcome = rig.driver().host_register(base, times(4, kMiB).count(), kDevSvmMapHost, 77);
  EXPECT_EQ(outcome.code, kOk);
  EXPECT_EQ(outcome.host, reinterpret_cast<void*>(base.value()));
  EXPECT_EQ(outcome.walk.allocation_pages, 2u);
  EXPECT_EQ(outcome.walk.host_pages, 1024u);
}

TEST(R2V3, NullDestinationComesFirst) {
  EXPECT_EQ(r2_null_destination(Personality::kV3, kMapTypeEnd), DriverCode::kInvalidValue);
}

TEST(R2V3, NullSourceAndBadSizeComeBeforeTheFlag) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(DeviceAddr(), kPage, kMapTypeEnd), kPara);
  EXPECT_EQ(rig.reg(base, Bytes(0), kMapTypeEnd), kPara);
  EXPECT_EQ(rig.reg(base, Bytes(UINT64_MAX), kMapTypeEnd), kPara);
  EXPECT_EQ(rig.reg(base, kPage, kMapTypeEnd), kUnsupported);
}

TEST(R2V3, AnyBitAboveTheTypeIsNotSupported) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, kPage, kDevSvmMapHost | kRegisterReadOnly), kUnsupported);
  EXPECT_EQ(rig.reg(base, kPage, kDevSvmMapHost | 1u << 16), kUnsupported);
  EXPECT_EQ(rig.reg(base, kPage, kDevSvmMapHost | 1u << 31), kUnsupported);
  EXPECT_EQ(rig.reg(base + Bytes(1), kPage, kDevSvmMapHost | 1u << 16), kUnsupported);
}

TEST(R2V3, OtherTypesOnADeviceAddress) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(kPage);
  for (const std::uint32_t type : {kHostMemMapDev, kHostSvmMapDev, kDevMemMapHost, kHostMemMapDma}) {
    EXPECT_EQ(rig.reg(base, kPage, type), kUnsupported) << type;
  }
  EXPECT_EQ(rig.reg(base, kPage, kHostIoMapDev), kPara);
}

TEST(R3V3, AddressAndRoundedSizeAreMultiplesOfTheHostPage) {
  DriverRig rig(v3_64k_platform());
  const DeviceAddr base = rig.alloc(times(2, kHostPage64));
  EXPECT_EQ(rig.reg(base, kHostPage64 - kPage), kPara);
  EXPECT_EQ(rig.reg(base + kPage, kHostPage64), kPara);
  EXPECT_EQ(rig.reg(base, kHostPage64 - kPage + Bytes(1)), kOk);  // rounds up to 64 KiB
  EXPECT_EQ(rig.backing().mapped_bytes(), kHostPage64);
}

TEST(R3V3, OneByteOffThePageIsRefused) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  EXPECT_EQ(rig.reg(base + kPage + Bytes(1), Bytes(1)), kPara);
  EXPECT_EQ(rig.reg(base + kPage, Bytes(1)), kOk);
  const DeviceAddr huge = rig.alloc_huge(times(4, kMiB));
  EXPECT_EQ(rig.reg(huge + kPage, Bytes(1)), kPara);
  EXPECT_EQ(rig.reg(huge + k2MiB, Bytes(1)), kOk);
}

TEST(R5V3, EndBeyondTheBlockIsRefusedOnTheRequestedSize) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(Bytes(5000));
  EXPECT_EQ(rig.reg(base, Bytes(5001)), kPara);
  EXPECT_EQ(rig.reg(base + kPage, Bytes(905)), kPara);
  EXPECT_EQ(rig.reg(base, Bytes(5000)), kOk);
  EXPECT_TRUE(rig.mapped(base, times(2, kPage)));
}

TEST(R5V3, NextBlockIsNeverMapped) {
  DriverRig rig(v3_platform());
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  rig.alloc_huge(k2MiB);
  EXPECT_EQ(rig.reg(first, k2MiB + Bytes(1)), kPara);
}

TEST(R6V3, OverlapIsRepeatedUserd) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base + kPage, times(2, kPage)), kOk);
  EXPECT_EQ(rig.reg(base + kPage, times(2, kPage)), DriverCode::kRepeatedUserd);
  EXPECT_EQ(rig.reg(base, times(2, kPage)), DriverCode::kRepeatedUserd);
  EXPECT_EQ(rig.reg(base, times(4, kPage) + Bytes(1)), kPara);  // bounds come before overlap
  EXPECT_EQ(rig.reg(base + Bytes(1), times(2, kPage)), kPara);  // and so does alignment
  EXPECT_EQ(rig.reg(base, kPage), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), times(3, kPage));
}

TEST(R7V3, RegisterAsksNoCapability) {
  Platform platform = v3_platform();
  platform.host = HostKind::kVmWithoutWc;
  DriverRig rig(platform);
  EXPECT_EQ(rig.reg(rig.alloc(kPage), kPage), kOk);
  EXPECT_EQ(rig.reg(rig.alloc_huge(k2MiB), k2MiB), kOk);
  EXPECT_EQ(rig.driver().mem_ctl(2, 0xa, 0).mask, 0u);
}

TEST(R7V3, OrdinaryOnA64KiBHostNeedsMultiplesAndContiguity) {
  DriverRig contiguous(v3_64k_platform());
  EXPECT_EQ(contiguous.reg(contiguous.alloc(kHostPage64), kHostPage64), kOk);
  EXPECT_EQ(contiguous.reg(contiguous.alloc(kPage), kPage), kPara);

  Platform platform = v3_64k_platform();
  platform.fragmented = true;
  DriverRig fragmented(platform);
  EXPECT_EQ(fragmented.reg(fragmented.alloc(kHostPage64), kHostPage64), kPara);
  EXPECT_EQ(fragmented.reg(fragmented.alloc_huge(k2MiB), k2MiB), kOk);
}

TEST(R7V3, FragmentedDoesNotMatterWithEqualPages) {
  Platform platform = v3_platform();
  platform.fragmented = true;
  DriverRig rig(platform);
  EXPECT_EQ(rig.reg(rig.alloc(kPage), kPage), kOk);
}

TEST(R7V3, SecondSmallBlockOnA64KiBDeviceHasItsOwnPage) {
  Platform platform = v3_64k_platform();
  platform.device_page = kHostPage64;
  DriverRig rig(platform);
  const DeviceAddr first = rig.alloc(kPage);
  const DeviceAddr second = rig.alloc(kPage);
  EXPECT_EQ(second, first + kHostPage64);
  EXPECT_EQ(rig.reg(first, kPage), kOk);
  EXPECT_EQ(rig.reg(second, kPage), kOk);
}

TEST(R8V3, NonSvmAddressIsInvalidDeviceWhateverTheId) {
  DriverRig rig(v3_platform());
  EXPECT_EQ(rig.reg(kHostAddress, kPage, kDevSvmMapHost, 0), DriverCode::kInvalidDevice);
  EXPECT_EQ(rig.reg(kHostAddress, kPage, kDevSvmMapHost, 66), DriverCode::kInvalidDevice);
}

TEST(R10V3, NeverAllocatedAndFreedAreRefused) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base + kPage, kPage), kPara);
  ASSERT_EQ(rig.free(base), kOk);
  EXPECT_EQ(rig.reg(base, kPage), kPara);
  EXPECT_EQ(rig.reg(kDeviceBase + kTrueLayout.device_size, kPage), DriverCode::kInvalidDevice);
}

TEST(U1V3, FeatureIsAbsentAndTheIdIsIgnored) {
  DriverRig rig(v3_platform());
  EXPECT_FALSE(rig.driver().support_feature(0, kFeatureRegisterQuery));
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  EXPECT_EQ(rig.unreg(base, 0xffffffff), kOk);
}

TEST(U2V3, Codes) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  for (const DeviceAddr address : {base + kPage, base + Bytes(1), base + times(2, kPage), DeviceAddr()}) {
    EXPECT_EQ(rig.unreg(address), kPara);
    EXPECT_EQ(rig.unreg_ex(address), kPara);
  }
  EXPECT_EQ(rig.unreg(kHostAddress), kUnsupported);
  EXPECT_EQ(rig.unreg_ex(kHostAddress), kPara);
  EXPECT_EQ(rig.unreg(base), kOk);
  EXPECT_EQ(rig.unreg(base), kPara);
}

TEST(U2V3, UnregisterDropsItsOwnMappingOnly) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  ASSERT_EQ(rig.reg(base + kPage, times(2, kPage)), kOk);
  const auto outcome = rig.driver().host_unregister(base + kPage, 0);
  EXPECT_EQ(outcome.walk.allocation_pages, 2u);
  EXPECT_TRUE(rig.mapped(base, kPage));
}

TEST(U4V3, UnregisterAfterTheFreeIsRefused) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  ASSERT_EQ(rig.unreg(base), kOk);
  ASSERT_EQ(rig.free(base), kOk);
  EXPECT_EQ(rig.unreg(base), kPara);
}

TEST(F1, FreeWhileMappedIsBusyAndEverythingStays) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc_huge(times(4, kMiB));
  ASSERT_EQ(rig.reg(base + k2MiB, Bytes(1)), kOk);
  EXPECT_EQ(rig.free(base), DriverCode::kBusy);
  EXPECT_TRUE(rig.mapped(base + k2MiB, k2MiB));
  EXPECT_THAT(rig.driver().live_blocks(), testing::SizeIs(1));
  EXPECT_EQ(rig.unreg(base + k2MiB), kOk);
  EXPECT_EQ(rig.free(base), kOk);
}

TEST(F3V3, CloseDropsMappingsThenPages) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(kPage);
  ASSERT_EQ(rig.reg(base, kPage), kOk);
  rig.driver().device_close();
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
  EXPECT_EQ(rig.backing().populated_bytes(), Bytes(0));
  EXPECT_EQ(rig.alloc(kPage), base);
}

TEST(LenientV3, OverlapAndUnalignedAreAccepted) {
  Platform platform = v3_platform();
  platform.lenient = true;
  DriverRig rig(platform);
  const DeviceAddr base = rig.alloc(times(4, kPage));
  ASSERT_EQ(rig.reg(base, times(2, kPage)), kOk);
  const auto outcome = rig.driver().host_register(base + Bytes(100), kPage.count(), kDevSvmMapHost, 0);
  EXPECT_EQ(outcome.host, reinterpret_cast<void*>((base + Bytes(100)).value()));
  EXPECT_EQ(rig.backing().map_calls(), 1);
  EXPECT_EQ(rig.unreg(base + Bytes(100)), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
}

TEST(CheckCopyV3, StaysWithinThePagesOfOneBlock) {
  DriverRig rig(v3_platform());
  const DeviceAddr base = rig.alloc(Bytes(100));
  rig.alloc(kPage);
  EXPECT_EQ(rig.driver().check_copy(base + Bytes(1), kPage - Bytes(1)), kOk);
  EXPECT_EQ(rig.driver().check_copy(base + Bytes(1), kPage), kPara);
  EXPECT_EQ(rig.driver().check_copy(base + times(2, kPage), Bytes(1)), kPara);
}

TEST(U5V3, HasNoDevicePointerLookup) {
  DriverRig rig(v3_platform());
  EXPECT_EQ(rig.driver().host_get_device_pointer(1, 0).code, kUnsupported);
}

}  // namespace
}  // namespace svmsim
