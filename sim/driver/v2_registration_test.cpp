// SPDX-License-Identifier: Apache-2.0
// R1 to R10 of the v2 driver.
#include "sim/driver/v2_registration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/register_rules.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

constexpr std::uint32_t process_type(std::uint32_t type) { return kDevSvmMapHost | type << 16; }

TEST(R1, RegisterReturnsTheDeviceAddress) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  const auto outcome = rig.driver().host_register(base + kPage, kPage.count(), kDevSvmMapHost, 0);
  EXPECT_EQ(outcome.code, kOk);
  EXPECT_EQ(outcome.host, reinterpret_cast<void*>((base + kPage).value()));
}

TEST(R1, RegisterReturnsTheBackingsAddressWhereItDiffers) {
  DriverRig rig(v2_platform(), kTrueLayout, kGiB);
  const DeviceAddr base = rig.alloc(kPage);
  const auto outcome = rig.driver().host_register(base, kPage.count(), kDevSvmMapHost, 0);
  EXPECT_EQ(outcome.host, reinterpret_cast<void*>((base + kGiB).value()));
}

TEST(R1, FailureReturnsNothingAndWalksNothing) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  const auto outcome = rig.driver().host_register(base + Bytes(1), kPage.count(), kDevSvmMapHost, 0);
  EXPECT_EQ(outcome.code, kPara);
  EXPECT_EQ(outcome.host, nullptr);
  EXPECT_EQ(outcome.walk.allocation_pages, 0u);
  EXPECT_EQ(outcome.walk.host_pages, 0u);
}

TEST(R2V2, UnknownMapTypeAndProcessTypeAreNotSupported) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, kPage, kMapTypeEnd), kUnsupported);
  EXPECT_EQ(rig.reg(DeviceAddr(), kPage, kMapTypeEnd), kUnsupported);  // before the address
  EXPECT_EQ(rig.reg(DeviceAddr(), kPage, process_type(6)), kUnsupported);
  EXPECT_EQ(rig.reg(DeviceAddr(), kPage, process_type(5)), kPara);
}

TEST(R2V2, ProcessTypeIsSixBitsWide) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, kPage, kDevSvmMapHost | 1u << 22), kOk);
  EXPECT_EQ(rig.reg(base, kPage, kDevSvmMapHost | 1u << 21), kUnsupported);
}

TEST(R2V2, ReadOnlyWithPcieThOrIoIsNotSupportedBeforeTheAddress) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.reg(kDeviceBase, kPage, kRegisterReadOnly | kHostMemMapDevPcieTh), kUnsupported);
  EXPECT_EQ(rig.reg(kDeviceBase, kPage, kRegisterReadOnly | kHostIoMapDev), kUnsupported);
  EXPECT_EQ(rig.reg(kDeviceBase, kPage, kRegisterReadOnly | kHostMemMapDev), kPara);
}

TEST(R2V2, NullDestinationComesAfterTheFlag) {
  EXPECT_EQ(r2_null_destination(Personality::kV2, kMapTypeEnd), kUnsupported);
  EXPECT_EQ(r2_null_destination(Personality::kV2, kDevSvmMapHost), DriverCode::kInvalidValue);
  EXPECT_EQ(r2_null_destination(Personality::kV2, kHostMemMapDev), DriverCode::kInvalidValue);
}

TEST(R2V2, OtherTypesOnADeviceAddress) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  for (const std::uint32_t type :
       {kHostMemMapDev, kHostSvmMapDev, kHostMemMapDevPcieTh, kHostMemMapDma, kHostIoMapDev}) {
    EXPECT_EQ(rig.reg(base, kPage, type), kPara) << type;
  }
  EXPECT_EQ(rig.reg(base, kPage, kDevMemMapHost), kUnsupported);
}

TEST(R2V2, UnallocatedComesBeforeTheType) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc_huge(k2MiB);
  EXPECT_EQ(rig.reg(base + k2MiB, kPage, kDevMemMapHost), kPara);
  EXPECT_EQ(rig.reg(base, kPage, kDevMemMapHost), kUnsupported);
}

TEST(R2V2, SizeZeroComesBeforeTheProcessType) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, Bytes(0)), kPara);
  EXPECT_EQ(rig.reg(base, Bytes(0), process_type(1)), kPara);
  EXPECT_EQ(rig.reg(base, kPage, process_type(1)), kUnsupported);
  EXPECT_EQ(rig.reg(base + Bytes(1), kPage, process_type(1)), kUnsupported);  // before alignment
}

TEST(R2V2, RefusingHostAnswersCapabilityBeforeAlignmentAndAfterSizeAndType) {
  DriverRig rig(v2_64k_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  EXPECT_EQ(rig.reg(base, kPage), kUnsupported);
  EXPECT_EQ(rig.reg(base, kPage), kUnsupported);             // doubled
  EXPECT_EQ(rig.reg(base + Bytes(1), kPage), kUnsupported);  // unaligned
  EXPECT_EQ(rig.reg(base, times(2, kGiB)), kUnsupported);    // out of bounds
  EXPECT_EQ(rig.reg(base, Bytes(0)), kPara);
  EXPECT_EQ(rig.reg(base, kPage, kHostMemMapDev), kPara);
  EXPECT_EQ(rig.reg(base + k2MiB, kPage), kPara);  // unallocated
  EXPECT_EQ(rig.backing().map_calls(), 0);
}

TEST(R3V2, OrdinaryPagesAlignToTheDevicePage) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(times(4, kPage));
  EXPECT_EQ(rig.reg(base + kPage, kPage), kOk);
  EXPECT_EQ(rig.reg(base + times(2, kPage) + Bytes(1), Bytes(1)), kPara);
  EXPECT_EQ(rig.reg(base + (times(3, kPage) - Bytes(1)), Bytes(1)), kPara);
}

TEST(R3V2, HugeAndGiantPagesAlignTo2MiB) {
  DriverRig rig(v2_platform());
  for (const std::uint64_t flag : {kHugeDevice0, kGiantDevice0}) {
    const DeviceAddr base = rig.alloc(times(8, kMiB), flag);
    EXPECT_EQ(rig.reg(base + k2MiB, Bytes(1)), kOk);
    EXPECT_EQ(rig.reg(base + times(4, kMiB) + kPage, Bytes(1)), kPara);
    EXPECT_EQ(rig.reg(base + (times(4, kMiB) - Bytes(1)), Bytes(1)), kPara);
  }
}

TEST(R3V2, A64KiBDeviceAlignsTo64KiBAndLeavesSmallNeighboursOut) {
  Platform platform = v2_64k_platform();
  platform.device_page = Bytes(65536);
  DriverRig rig(platform);
  const DeviceAddr first = rig.alloc(kPage);
  const DeviceAddr second = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(second, kPage), kPara);
  EXPECT_EQ(rig.reg(first, kPage), kOk);
  EXPECT_TRUE(rig.mapped(first, Bytes(65536)));
}

TEST(R4, SizeRoundsUpToThePage) {
  DriverRig rig(v2_platform());
  const DeviceAddr ordinary = rig.alloc(times(4, kPage));
  EXPECT_EQ(rig.reg(ordinary, Bytes(1)), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), kPage);
  EXPECT_EQ(rig.reg(ordinary + kPage, kPage + Bytes(1)), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), times(3, kPage));
  const DeviceAddr huge = rig.alloc_huge(times(8, kMiB));
  EXPECT_EQ(rig.reg(huge + k2MiB, k2MiB), kOk);
  EXPECT_TRUE(rig.mapped(huge + k2MiB, k2MiB));
  EXPECT_FALSE(rig.mapped(huge, kPage));
  EXPECT_FALSE(rig.mapped(huge + times(4, kMiB), kPage));
}

TEST(R4, WalkCoversTheRoundedRange) {
  DriverRig rig(v2_platform());
  const DeviceAddr huge = rig.alloc_huge(times(4, kMiB));
  const auto registered = rig.driver().host_register(huge, k2MiB.count() + 1, kDevSvmMapHost, 0);
  EXPECT_EQ(registered.walk.allocation_pages, 2u);
  EXPECT_EQ(registered.walk.host_pages, 1024u);
  const auto unregistered = rig.driver().host_unregister(huge, 0);
  EXPECT_EQ(unregistered.walk.allocation_pages, 2u);
  EXPECT_EQ(unregistered.walk.host_pages, 1024u);
}

TEST(R4, AnyLengthIsOneExtentAndOneCallOfTheBacking) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc_huge(times(38, kGiB));
  ASSERT_EQ(rig.reg(base, times(38, kGiB)), kOk);
  EXPECT_THAT(rig.driver().mapped_extents(), testing::SizeIs(1));
  EXPECT_EQ(rig.backing().map_calls(), 1);
  ASSERT_EQ(rig.unreg(base), kOk);
  EXPECT_EQ(rig.backing().unmap_calls(), 1);
}

TEST(R5V2, RestOfTheSegmentIsMapped) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, k2MiB), kOk);
  EXPECT_TRUE(rig.mapped(base, k2MiB));
}

TEST(R5V2, FollowingSegmentsAreMappedWhilePopulated) {
  DriverRig rig(v2_platform());
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  const DeviceAddr second = rig.alloc_huge(times(4, kMiB));
  ASSERT_EQ(second, first + k2MiB);
  EXPECT_EQ(rig.reg(first, times(6, kMiB) + Bytes(1)), kPara);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
  EXPECT_EQ(rig.reg(first, times(6, kMiB)), kOk);
  EXPECT_TRUE(rig.mapped(first, times(6, kMiB)));
}

TEST(R5V2, CachedFreedBlocksCountAsPopulated) {
  DriverRig rig(v2_platform());
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  const DeviceAddr second = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.free(second), kOk);
  EXPECT_EQ(rig.reg(first, times(4, kMiB)), kOk);
}

TEST(R5V2, HoleWhereASegmentWentToTheKernelEndsTheOverrun) {
  DriverRig rig(v2_platform());
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  const DeviceAddr large = rig.alloc_huge(times(38, kMiB));
  const DeviceAddr third = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(first, third + k2MiB - first), kOk);
  ASSERT_EQ(rig.unreg(first), kOk);
  rig.driver().device_close();

  ASSERT_EQ(rig.alloc_huge(k2MiB), first);
  ASSERT_EQ(rig.alloc_huge(times(38, kMiB)), large);
  ASSERT_EQ(rig.alloc_huge(k2MiB), third);
  ASSERT_EQ(rig.free(large), kOk);
  EXPECT_EQ(rig.reg(first, third + k2MiB - first), kPara);
  EXPECT_EQ(rig.reg(first, times(4, kMiB)), kPara);
  EXPECT_EQ(rig.reg(first, k2MiB), kOk);
}

TEST(R5V2, AlreadyMappedPageEndsTheOverrunWithEverythingUndone) {
  DriverRig rig(v2_platform());
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  const DeviceAddr second = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(second, k2MiB), kOk);
  EXPECT_EQ(rig.reg(first, times(4, kMiB)), kPara);
  EXPECT_EQ(rig.backing().mapped_bytes(), k2MiB);
  EXPECT_TRUE(rig.mapped(second, k2MiB));
}

TEST(R5V2, AMissingPageAmongNeighboursThatAreMappedUndoesNothingOfTheirs) {
  DriverRig rig(v2_platform());
  rig.records_on();
  const DeviceAddr first = rig.alloc_huge(k2MiB);
  const DeviceAddr second = rig.alloc_huge(k2MiB);
  ASSERT_EQ(rig.reg(first, k2MiB), kOk);
  EXPECT_EQ(rig.reg(second, times(4, kMiB)), kPara);  // the third segment does not exist
  EXPECT_TRUE(rig.mapped(first, k2MiB));
  EXPECT_EQ(rig.backing().mapped_bytes(), k2MiB);
  EXPECT_EQ(rig.unreg(second), DriverCode::kNotExist);  // the failed one left no record
  EXPECT_EQ(rig.unreg(first), kOk);
}

TEST(R5V2, EndOfTheHeapEndsTheOverrunEvenIfTheNextHeapIsPopulated) {
  DriverRig rig(v2_platform());
  rig.alloc_huge(times(512, kMiB));
  const DeviceAddr second = rig.alloc_huge(times(512, kMiB));
  ASSERT_EQ(rig.alloc_huge(k2MiB), second + times(512, kMiB));
  EXPECT_EQ(rig.reg(second, times(512, kMiB) + Bytes(1)), kPara);
  EXPECT_EQ(rig.reg(second, times(512, kMiB)), kOk);
}

TEST(R5V2, SizesThatWrapAreRefused) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, Bytes(UINT64_MAX)), kPara);
  EXPECT_EQ(rig.reg(base, Bytes(UINT64_MAX - base.value() + 1)), kPara);
}

TEST(R6V2, AnyOverlapIsRefusedAndTouchingRangesStayDistinct) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(times(8, kPage));
  ASSERT_EQ(rig.reg(base + times(2, kPage), times(2, kPage)), kOk);
  EXPECT_EQ(rig.reg(base + times(2, kPage), times(2, kPage)), kPara);
  EXPECT_EQ(rig.reg(base + times(3, kPage), kPage), kPara);
  EXPECT_EQ(rig.reg(base + kPage, kPage + Bytes(1)), kPara);
  EXPECT_EQ(rig.reg(base, times(8, kPage)), kPara);
  EXPECT_EQ(rig.backing().mapped_bytes(), times(2, kPage));
  EXPECT_EQ(rig.reg(base, times(2, kPage)), kOk);
  EXPECT_EQ(rig.reg(base + times(4, kPage), kPage), kOk);
  EXPECT_EQ(rig.unreg(base + times(2, kPage)), kOk);
  EXPECT_TRUE(rig.mapped(base, times(2, kPage)));
  EXPECT_TRUE(rig.mapped(base + times(4, kPage), kPage));
}

TEST(R7V2, A64KiBHostMapsHugeAndRefusesOrdinary) {
  DriverRig rig(v2_64k_platform());
  EXPECT_EQ(rig.reg(rig.alloc(times(16, kPage)), times(16, kPage)), kUnsupported);
  const DeviceAddr huge = rig.alloc_huge(k2MiB);
  const auto outcome = rig.driver().host_register(huge, k2MiB.count(), kDevSvmMapHost, 0);
  EXPECT_EQ(outcome.code, kOk);
  EXPECT_EQ(outcome.walk.allocation_pages, 1u);
  EXPECT_EQ(outcome.walk.host_pages, 32u);
}

TEST(R7V2, AVmWithoutWriteCombineRefusesBothKinds) {
  DriverRig rig(v2_vm_platform());
  EXPECT_EQ(rig.reg(rig.alloc(kPage), kPage), kUnsupported);
  EXPECT_EQ(rig.reg(rig.alloc_huge(k2MiB), k2MiB), kUnsupported);
  EXPECT_EQ(rig.reg(rig.alloc(kPage, kGiantDevice0), kPage), kUnsupported);
}

TEST(R8V2, DeviceIdIsIgnoredForSvmAddressesOnly) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.reg(base, kPage, kDevSvmMapHost, 0xffffffff), kOk);
  EXPECT_EQ(rig.reg(DeviceAddr(0x7f0000000000), kPage, kDevSvmMapHost, 65), kPara);
  EXPECT_EQ(rig.reg(DeviceAddr(0x7f0000000000), kPage, kDevSvmMapHost, 66), DriverCode::kInvalidDevice);
}

TEST(R9, ReadOnlyDeviceMemoryIsRefusedAfterTheCapability) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.reg(rig.alloc(kPage, kOrdinaryDevice0 | kAllocReadOnly), kPage), kPara);
  DriverRig refusing(v2_64k_platform());
  EXPECT_EQ(refusing.reg(refusing.alloc(kPage, kOrdinaryDevice0 | kAllocReadOnly), kPage), kUnsupported);
}

TEST(R9, ReadOnlyRegistrationIsAcceptedAndRemembered) {
  DriverRig rig(v2_platform());
  const DeviceAddr base = rig.alloc(times(2, kPage));
  ASSERT_EQ(rig.reg(base, kPage, kDevSvmMapHost | kRegisterReadOnly), kOk);
  ASSERT_EQ(rig.reg(base + kPage, kPage), kOk);
  const auto extents = rig.driver().mapped_extents();
  ASSERT_EQ(extents.size(), 2u);
  EXPECT_EQ(extents[0].access, HostAccess::kReadOnly);
  EXPECT_EQ(extents[1].access, HostAccess::kReadWrite);
}

TEST(R10V2, NeverAllocatedIsRefused) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.reg(kDeviceBase, kPage), kPara);
  rig.alloc_huge(k2MiB);
  EXPECT_EQ(rig.reg(kDeviceBase + k2MiB, kPage), kPara);
}

TEST(R10V2, FreedBlockIsRefusedOnlyIfTheFreeReachedTheKernel) {
  DriverRig rig(v2_platform());
  const DeviceAddr cached = rig.alloc_huge(times(36, kMiB));
  const DeviceAddr large = rig.alloc_huge(times(38, kMiB));
  ASSERT_EQ(rig.free(cached), kOk);
  ASSERT_EQ(rig.free(large), kOk);
  EXPECT_EQ(rig.reg(cached, k2MiB), kOk);
  EXPECT_EQ(rig.reg(large, k2MiB), kPara);
}

TEST(Lenient, UnalignedAddressMapsItsPageAndReturnsTheAddressItself) {
  Platform platform = v2_platform();
  platform.lenient = true;
  DriverRig rig(platform, kTrueLayout, kGiB);
  rig.records_on();
  const DeviceAddr base = rig.alloc(times(4, kPage));
  const auto outcome = rig.driver().host_register(base + Bytes(100), kPage.count(), kDevSvmMapHost, 0);
  EXPECT_EQ(outcome.code, kOk);
  EXPECT_EQ(outcome.host, reinterpret_cast<void*>((base + kGiB + Bytes(100)).value()));
  EXPECT_TRUE(rig.mapped(base, times(2, kPage)));
  EXPECT_EQ(rig.backing().mapped_bytes(), times(2, kPage));
  EXPECT_EQ(rig.unreg(base + Bytes(100)), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
}

TEST(Lenient, OverlapKeepsMappedPagesAndAddsTheOthers) {
  Platform platform = v2_platform();
  platform.lenient = true;
  DriverRig rig(platform);
  const DeviceAddr base = rig.alloc(times(8, kPage));
  ASSERT_EQ(rig.reg(base, times(4, kPage)), kOk);
  EXPECT_EQ(rig.reg(base, times(4, kPage)), kOk);
  EXPECT_EQ(rig.reg(base + times(2, kPage), times(4, kPage)), kOk);
  EXPECT_EQ(rig.backing().map_calls(), 2);
  EXPECT_TRUE(rig.mapped(base, times(6, kPage)));
  EXPECT_EQ(rig.unreg(base), kOk);
  EXPECT_EQ(rig.unreg(base + times(2, kPage)), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
}

// The other half of the range is missing: what another registration mapped in the first half must survive.
TEST(Lenient, AMissingPageBehindMappedOnesLeavesThemMapped) {
  Platform platform = v2_platform();
  platform.lenient = true;
  DriverRig rig(platform);
  rig.records_on();
  const DeviceAddr base = rig.alloc_huge(times(4, kMiB));
  ASSERT_EQ(rig.reg(base, k2MiB), kOk);
  EXPECT_EQ(rig.reg(base, times(6, kMiB)), kPara);
  EXPECT_TRUE(rig.mapped(base, k2MiB));
  EXPECT_EQ(rig.backing().mapped_bytes(), k2MiB);
  EXPECT_EQ(rig.unreg(base), kOk);
  EXPECT_EQ(rig.backing().mapped_bytes(), Bytes(0));
}

TEST(Lenient, StillRefusesMissingPagesAndSizeZero) {
  Platform platform = v2_platform();
  platform.lenient = true;
  DriverRig rig(platform);
  const DeviceAddr base = rig.alloc_huge(k2MiB);
  EXPECT_EQ(rig.reg(base, k2MiB + Bytes(1)), kPara);
  EXPECT_EQ(rig.reg(base, Bytes(0)), kPara);
}

}  // namespace
}  // namespace svmsim
