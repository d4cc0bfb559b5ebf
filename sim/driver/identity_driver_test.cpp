// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/identity_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/driver_fixture.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

Platform identity_platform() {
  Platform platform;
  platform.personality = Personality::kIdentity;
  return platform;
}

TEST(Identity, RegisterAnswersTheDeviceAddressHoweverOftenAndUnaligned) {
  DriverRig rig(identity_platform());
  const DeviceAddr base = rig.alloc(kPage);
  for (const DeviceAddr address : {base, base, base + Bytes(1)}) {
    const auto outcome = rig.driver().host_register(address, kPage.count(), kDevSvmMapHost, 0);
    EXPECT_EQ(outcome.code, DriverCode::kNone);
    EXPECT_EQ(outcome.host, reinterpret_cast<void*>(address.value()));
    EXPECT_EQ(outcome.walk.host_pages, 0u);
  }
  EXPECT_EQ(rig.unreg(base), DriverCode::kNone);
  EXPECT_EQ(rig.unreg(base), DriverCode::kNone);
  EXPECT_EQ(rig.unreg_ex(base, 99), DriverCode::kNone);
  EXPECT_THAT(rig.driver().mapped_extents(), testing::IsEmpty());
}

TEST(Identity, DeviceMemoryIsTouchableWithoutRegistering) {
  DriverRig rig(identity_platform());
  const DeviceAddr base = rig.alloc(Bytes(5000));
  EXPECT_TRUE(rig.mapped(base, times(2, kPage)));
  EXPECT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_FALSE(rig.mapped(base, kPage));
}

TEST(Identity, FreeAlwaysSucceeds) {
  DriverRig rig(identity_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.free(DeviceAddr()), DriverCode::kNone);
  EXPECT_EQ(rig.free(base + Bytes(1)), DriverCode::kNone);
  EXPECT_THAT(rig.driver().live_blocks(), testing::SizeIs(1));
  EXPECT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_EQ(rig.free(base), DriverCode::kNone);
  EXPECT_EQ(rig.alloc(kPage), base);
}

TEST(Identity, GarbageIsSurvived) {
  DriverRig rig(identity_platform());
  const DeviceAddr garbage{UINT64_MAX};
  EXPECT_EQ(rig.reg(garbage, Bytes(UINT64_MAX), 0xffffffff, 0xffffffff), DriverCode::kNone);
  EXPECT_EQ(rig.unreg(garbage), DriverCode::kNone);
  EXPECT_EQ(rig.free(garbage), DriverCode::kNone);
  EXPECT_EQ(rig.driver().check_copy(garbage, Bytes(UINT64_MAX)), DriverCode::kParaError);
  EXPECT_FALSE(rig.driver().support_feature(0xffffffff, -1));
  EXPECT_EQ(rig.driver().mem_ctl(2, 0x3f, 0).mask, 0u);
  EXPECT_EQ(rig.driver().host_get_device_pointer(1, 0).code, DriverCode::kNotSupport);
}

TEST(Identity, AllocationFailsOnlyForSizeZeroAndLackOfAddresses) {
  DriverRig rig(identity_platform(), AddressLayout{kDeviceBase, times(2, kPage)});
  EXPECT_EQ(rig.alloc_code(Bytes(0)), DriverCode::kInvalidValue);
  EXPECT_EQ(rig.alloc_code(Bytes(UINT64_MAX)), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(Bytes(1), ~std::uint64_t{0}), DriverCode::kNone);
  EXPECT_EQ(rig.alloc_code(kPage + Bytes(1)), DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.alloc_code(kPage), DriverCode::kNone);
}

TEST(Identity, CopyStaysWithinOneBlock) {
  DriverRig rig(identity_platform());
  const DeviceAddr base = rig.alloc(kPage);
  EXPECT_EQ(rig.driver().check_copy(base, kPage), DriverCode::kNone);
  EXPECT_EQ(rig.driver().check_copy(base, kPage + Bytes(1)), DriverCode::kParaError);
}

}  // namespace
}  // namespace svmsim
