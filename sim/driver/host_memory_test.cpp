// SPDX-License-Identifier: Apache-2.0
// Host memory registered for the device: R8, U1, U2, U5, F3 of v2 and v3. Nothing may touch the addresses used here.
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/register_rules.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

inline constexpr DeviceAddr kHost{0x7f0000000000};
// Where the device sees the first host memory: the start of v2's SVM range (P1).
inline constexpr DeviceAddr kFirstWindow{0x100000000000};
inline constexpr std::uint32_t kHostTypes[] = {kHostMemMapDev, kHostSvmMapDev, kHostMemMapDevPcieTh, kHostMemMapDma,
                                               kHostIoMapDev};

Platform lenient(Platform platform) {
  platform.lenient = true;
  return platform;
}

// The device address of a registration that must succeed.
DeviceAddr device_address(DriverRig& rig, DeviceAddr source, Bytes size, std::uint32_t type = kHostMemMapDev) {
  const RegisterOutcome outcome = rig.driver().host_register(source, size.count(), type, 0);
  EXPECT_EQ(outcome.code, kOk);
  return DeviceAddr(reinterpret_cast<std::uint64_t>(outcome.host));
}

class HostMemoryTest : public testing::TestWithParam<Personality> {
 protected:
  static Platform platform() { return GetParam() == Personality::kV2 ? v2_platform() : v3_platform(); }
  // R6 by analogy.
  static DriverCode overlap() { return GetParam() == Personality::kV2 ? kPara : DriverCode::kRepeatedUserd; }
};

TEST_P(HostMemoryTest, R8EachHostTypeGetsADeviceAddressThatDoesNotDependOnTheHosts) {
  for (const std::uint32_t type : kHostTypes) {
    for (const DeviceAddr host : {kHost, kHost + times(7, kGiB)}) {
      DriverRig rig(platform());
      EXPECT_EQ(device_address(rig, host, kPage, type), kFirstWindow) << type;
    }
  }
}

TEST_P(HostMemoryTest, R8WindowsAreDisjointAndTheLowestFreeOneIsTaken) {
  DriverRig rig(platform());
  const DeviceAddr first = device_address(rig, kHost, kPage + Bytes(1));
  EXPECT_EQ(device_address(rig, kHost + times(2, kPage), kPage), first + times(2, kPage));
  ASSERT_EQ(rig.unreg_ex(kHost, kHostMemMapDev), kOk);
  EXPECT_EQ(device_address(rig, kHost + times(16, kPage), times(2, kPage)), first);
}

TEST_P(HostMemoryTest, R8StartMustBeAMultipleOfTheHostPageAndSizeIsRoundedUp) {
  DriverRig rig(platform());
  EXPECT_EQ(rig.reg(kHost + Bytes(1), kPage, kHostMemMapDev), kPara);
  EXPECT_EQ(rig.reg(kHost + (kPage - Bytes(1)), kPage, kHostMemMapDev), kPara);
  const RegisterOutcome outcome = rig.driver().host_register(kHost, kPage.count() + 1, kHostMemMapDev, 0);
  ASSERT_EQ(outcome.code, kOk);
  EXPECT_EQ(outcome.walk.host_pages, 2u);
  EXPECT_EQ(outcome.walk.allocation_pages, 0u);
  EXPECT_EQ(rig.reg(kHost + kPage, kPage, kHostMemMapDev), overlap());  // the tail belongs to the registration
  EXPECT_EQ(rig.driver().host_unregister_ex(kHost, 0, kHostMemMapDev).walk.host_pages, 2u);
}

TEST_P(HostMemoryTest, R8AHostOf64KiBPagesCountsIn64KiB) {
  Platform host_64k = platform();
  host_64k.host_page = Bytes(65536);
  DriverRig rig(host_64k);
  EXPECT_EQ(rig.reg(kHost + kPage, kPage, kHostMemMapDev), kPara);
  EXPECT_EQ(rig.driver().host_register(kHost, 65537, kHostMemMapDev, 0).walk.host_pages, 2u);
}

TEST_P(HostMemoryTest, R8EmptyNullAndWrappingRangesAreRefused) {
  DriverRig rig(platform());
  EXPECT_EQ(rig.reg(kHost, Bytes(0), kHostMemMapDev), kPara);
  EXPECT_EQ(rig.reg(DeviceAddr(), kPage, kHostMemMapDev), kPara);
  EXPECT_EQ(rig.reg(kHost, Bytes(~std::uint64_t{0}), kHostMemMapDev), kPara);
  EXPECT_EQ(rig.reg(DeviceAddr(~std::uint64_t{0xfff}), Bytes(4095), kHostMemMapDev), kPara);  // rounds up to 2^64
  EXPECT_EQ(rig.reg(DeviceAddr(~std::uint64_t{0x1fff}), kPage, kHostMemMapDev), kOk);
}

TEST_P(HostMemoryTest, R8MoreThanTheWindowsHoldIsOutOfMemory) {
  DriverRig rig(platform());
  EXPECT_EQ(rig.reg(kHost, Bytes(0x2c000000001), kHostMemMapDev), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.reg(kHost, Bytes(0x2c000000000), kHostMemMapDev), kOk);
  EXPECT_EQ(rig.reg(DeviceAddr(kPage.count()), kPage, kHostMemMapDev), DriverCode::kOutOfMemory);
}

TEST_P(HostMemoryTest, R6AnyOverlapIsRefusedAndTouchingRangesAreNot) {
  DriverRig rig(platform());
  ASSERT_EQ(rig.reg(kHost + times(2, kPage), times(2, kPage), kHostMemMapDev), kOk);
  EXPECT_EQ(rig.reg(kHost + times(2, kPage), times(2, kPage), kHostMemMapDev), overlap());
  EXPECT_EQ(rig.reg(kHost + times(3, kPage), times(2, kPage), kHostMemMapDev), overlap());
  EXPECT_EQ(rig.reg(kHost + kPage, kPage + Bytes(1), kHostMemMapDev), overlap());
  EXPECT_EQ(rig.reg(kHost, times(8, kPage), kHostMemMapDev), overlap());
  EXPECT_EQ(rig.reg(kHost + kPage, kPage, kHostMemMapDev), kOk);
  EXPECT_EQ(rig.reg(kHost + times(4, kPage), kPage, kHostMemMapDev), kOk);
}

TEST_P(HostMemoryTest, LenientTakesUnalignedAndOverlappingRanges) {
  DriverRig rig(lenient(platform()));
  EXPECT_EQ(device_address(rig, kHost + Bytes(5), kPage), kFirstWindow + Bytes(5));  // two pages
  EXPECT_EQ(device_address(rig, kHost, kPage), kFirstWindow + times(2, kPage));
  EXPECT_EQ(device_address(rig, kHost, kPage), kFirstWindow + times(2, kPage));  // the same start keeps its address
  EXPECT_EQ(rig.reg(kHost, Bytes(0), kHostMemMapDev), kPara);
  EXPECT_EQ(rig.unreg_ex(kHost + Bytes(5), kHostMemMapDev), kOk);
  EXPECT_EQ(device_address(rig, kHost + Bytes(7), Bytes(1)), kFirstWindow + Bytes(7));
}

TEST_P(HostMemoryTest, U2ExTakesTheTypeOfTheRegistrationAnd0And3) {
  for (const std::uint32_t type : kHostTypes) {
    DriverRig rig(platform());
    for (const std::uint32_t with : {type, kHostMemMapDev, kHostMemMapDevPcieTh}) {
      ASSERT_EQ(rig.reg(kHost, kPage, type), kOk);
      EXPECT_EQ(rig.unreg_ex(kHost, with), kOk) << type << " with " << with;
    }
    ASSERT_EQ(rig.reg(kHost, kPage, type), kOk);
    EXPECT_NE(rig.unreg_ex(kHost, kDevSvmMapHost), kOk) << type;
    EXPECT_EQ(rig.unreg_ex(kHost, kMapTypeEnd), kUnsupported) << type;
    EXPECT_EQ(rig.reg(kHost, kPage, type), overlap()) << "still registered as " << type;
  }
}

TEST_P(HostMemoryTest, U2UnregisterNeedsTheExactStartAndTheDeviceOfTheRegistration) {
  const DriverCode ex = GetParam() == Personality::kV2 ? DriverCode::kFileOps : kPara;
  const DriverCode plain = GetParam() == Personality::kV2 ? DriverCode::kFileOps : kUnsupported;
  DriverRig rig(platform());
  ASSERT_EQ(rig.reg(kHost, times(2, kPage), kHostMemMapDev), kOk);
  EXPECT_EQ(rig.unreg_ex(kHost + kPage, kHostMemMapDev), ex);
  EXPECT_EQ(rig.driver().host_unregister_ex(kHost, 1, kHostMemMapDev).code, ex);
  EXPECT_EQ(rig.unreg(kHost + kPage), plain);
  EXPECT_EQ(rig.unreg(kHost, 1), plain);
  EXPECT_EQ(rig.unreg(kHost), kOk);
  EXPECT_EQ(rig.unreg(kHost), plain);
  EXPECT_EQ(rig.unreg_ex(kHost, kHostMemMapDev), ex);
}

TEST_P(HostMemoryTest, R8ItsDeviceAddressIsNoDeviceMemory) {
  DriverRig rig(platform());
  const DeviceAddr device = device_address(rig, kHost, kPage);
  EXPECT_EQ(rig.free(device), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.driver().check_copy(device, Bytes(1)), kPara);
}

TEST_P(HostMemoryTest, F3CloseForgetsHostMemoryAndItsAddresses) {
  DriverRig rig(platform());
  ASSERT_EQ(rig.reg(kHost, kPage, kHostMemMapDev), kOk);
  rig.driver().device_close();
  EXPECT_NE(rig.unreg_ex(kHost, kHostMemMapDev), kOk);
  EXPECT_EQ(device_address(rig, kHost, kPage), kFirstWindow);
}

INSTANTIATE_TEST_SUITE_P(Both, HostMemoryTest, testing::Values(Personality::kV2, Personality::kV3),
                         [](const auto& one) { return one.param == Personality::kV2 ? "V2" : "V3"; });

TEST(R8V2, HostAddressDeviceIdThenTypeThenRange) {
  DriverRig rig(v2_platform());
  EXPECT_EQ(rig.reg(kHost, kPage, kHostMemMapDev, 66), DriverCode::kInvalidDevice);
  EXPECT_EQ(rig.reg(kHost, kPage, kHostMemMapDev, 65), kOk);
  EXPECT_EQ(rig.reg(kHost, kPage, kDevMemMapHost), kUnsupported);
  EXPECT_EQ(rig.reg(kHost, kPage, kHostMemMapDevPcieTh | kRegisterReadOnly), kUnsupported);  // R2
  EXPECT_EQ(rig.reg(kHost + kPage, kPage, kHostMemMapDev | kRegisterReadOnly), kOk);
}

TEST(R8V3, HostAddressTypesThatMapDeviceMemoryAndBadIdsAreAnInvalidDevice) {
  DriverRig rig(v3_platform());
  EXPECT_EQ(rig.reg(kHost, kPage, kDevSvmMapHost), DriverCode::kInvalidDevice);
  EXPECT_EQ(rig.reg(kHost, kPage, kDevMemMapHost), DriverCode::kInvalidDevice);
  EXPECT_EQ(rig.reg(kHost, kPage, kHostMemMapDev, 66), DriverCode::kInvalidDevice);
  EXPECT_EQ(rig.reg(kHost, kPage, kHostMemMapDev | kRegisterReadOnly), kUnsupported);  // R2
  EXPECT_EQ(rig.reg(kHost, kPage, kHostMemMapDev, 65), kOk);
}

TEST(U5V2, HostMemoryIsFoundByItsStartOnceTheFeatureIsOn) {
  DriverRig rig(v2_platform());
  ASSERT_EQ(rig.reg(kHost, kPage, kHostMemMapDev), kOk);
  EXPECT_EQ(rig.driver().host_get_device_pointer(kHost.value(), 0).code, kUnsupported);
  rig.records_on();
  EXPECT_EQ(rig.driver().host_get_device_pointer(kHost.value(), 0).code, DriverCode::kNotExist);  // U1: no record
  const DeviceAddr second = kHost + times(4, kPage);
  const DeviceAddr device = device_address(rig, second, times(2, kPage));
  const DevicePointerOutcome found = rig.driver().host_get_device_pointer(second.value(), 0);
  EXPECT_EQ(found.code, kOk);
  EXPECT_EQ(found.address, device);
  EXPECT_EQ(rig.driver().host_get_device_pointer(second.value() + 1, 0).code, DriverCode::kNotExist);
  EXPECT_EQ(rig.driver().host_get_device_pointer((second + kPage).value(), 0).code, DriverCode::kNotExist);
  EXPECT_EQ(rig.driver().host_get_device_pointer(second.value(), 1).code, DriverCode::kNotExist);
}

TEST(U1V2, HostMemoryFromBeforeTheFeatureCallHasNoRecord) {
  DriverRig rig(v2_platform());
  ASSERT_EQ(rig.reg(kHost, kPage, kHostMemMapDev), kOk);
  rig.records_on();
  EXPECT_EQ(rig.unreg(kHost), DriverCode::kNotExist);
  EXPECT_EQ(rig.unreg_ex(kHost, kHostMemMapDev), kOk);
}

TEST(U2V2, HostMemoryWithRecordsAnswers11WhereNothingIsRegistered) {
  DriverRig rig(v2_platform());
  rig.records_on();
  ASSERT_EQ(rig.reg(kHost, times(2, kPage), kHostMemMapDev), kOk);
  EXPECT_EQ(rig.unreg(kHost + kPage), DriverCode::kNotExist);
  EXPECT_EQ(rig.unreg(kHost, 1), DriverCode::kNotExist);
  EXPECT_EQ(rig.unreg(kHost), kOk);
  EXPECT_EQ(rig.unreg(kHost), DriverCode::kNotExist);
}

}  // namespace
}  // namespace svmsim
