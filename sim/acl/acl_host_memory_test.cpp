// SPDX-License-Identifier: Apache-2.0
// Host memory registered through the ACL layer: its own list above the driver's.
#include <gtest/gtest.h>

#include "sim/acl/testing/acl_rig.h"

namespace svmsim {
namespace {

constexpr std::uint64_t kPage = 4096;
// Where the device sees the first host memory (P1: the start of v2's SVM range).
constexpr std::uint64_t kFirstWindow = 0x100000000000;

class AclHostMemory : public testing::TestWithParam<Personality> {
 protected:
  AclHostMemory() : rig_(acl_platform(GetParam())), host_(static_cast<std::byte*>(rig_.alloc_host(16 * kPage))) {}

  AclCode reg(void* host, std::uint64_t size, std::uint32_t type = kAclHostRegisterMapped) {
    void* device = nullptr;
    return rig_.acl().host_register(rig_.thread, host, size, type, &device);
  }
  AclCode reg_v2(void* host, std::uint64_t size, std::uint32_t flags = kAclHostRegV2Mapped) {
    return rig_.acl().host_register_v2(rig_.thread, host, size, flags);
  }
  AclCode unreg(void* host) { return rig_.acl().host_unregister(rig_.thread, host); }
  AclCode device_pointer(void* host, void** device) {
    return rig_.acl().host_get_device_pointer(rig_.thread, host, device, 0);
  }

  AclRig rig_;
  std::byte* const host_;
};

TEST_P(AclHostMemory, RegisterGivesTheDeviceAddressAndUnregisterEndsIt) {
  void* device = nullptr;
  ASSERT_EQ(rig_.acl().host_register(rig_.thread, host_, kPage, kAclHostRegisterMapped, &device), AclCode::kSuccess);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(device), kFirstWindow);
  void* found = nullptr;
  EXPECT_EQ(device_pointer(host_, &found), AclCode::kSuccess);
  EXPECT_EQ(found, device);
  EXPECT_EQ(unreg(host_), AclCode::kSuccess);
  EXPECT_EQ(device_pointer(host_, &found), AclCode::kParamInvalid);
  EXPECT_EQ(unreg(host_), AclCode::kHostMemoryNotRegistered);
}

TEST_P(AclHostMemory, EachTypeAndFlagOfTheHeadersIsTakenOrRefusedByTheDriver) {
  EXPECT_EQ(reg(host_, kPage, kAclHostRegisterIoMemory), AclCode::kSuccess);
  EXPECT_EQ(unreg(host_), AclCode::kSuccess);
  for (const std::uint32_t flags :
       {kAclHostRegV2Mapped, kAclHostRegV2IoMemory, kAclHostRegV2Pinned, kAclHostRegV2Mapped | kAclHostRegV2Pinned}) {
    EXPECT_EQ(reg_v2(host_, kPage, flags), AclCode::kSuccess) << flags;
    EXPECT_EQ(unreg(host_), AclCode::kSuccess) << flags;
  }
  // R2: v2 takes READ_ONLY, but not with type 6; v3 takes no bit above the type.
  const AclCode read_only = GetParam() == Personality::kV2 ? AclCode::kSuccess : AclCode::kNotSupported;
  EXPECT_EQ(reg(host_, kPage, kAclHostRegisterReadOnly), read_only);
  EXPECT_EQ(reg_v2(host_ + kPage, kPage, kAclHostRegV2Mapped | kAclHostRegV2ReadOnly), read_only);
  EXPECT_EQ(reg_v2(host_ + 2 * kPage, kPage, kAclHostRegV2IoMemory | kAclHostRegV2ReadOnly), AclCode::kNotSupported);
}

TEST_P(AclHostMemory, UnknownTypesAndFlagsAreRefused) {
  for (const std::uint32_t type : {1u, 2u, 12u}) EXPECT_EQ(reg(host_, kPage, type), AclCode::kParamInvalid) << type;
  for (const std::uint32_t flags : {0u, 1u, 0x12u, 0x20000000u}) {
    EXPECT_EQ(reg_v2(host_, kPage, flags), AclCode::kParamInvalid) << flags;
  }
  EXPECT_EQ(rig_.log.count(CallKind::kRegister), 0u);
}

TEST_P(AclHostMemory, NullAndSizeZeroAreInvalidParametersEvenWithoutADevice) {
  AclThread other;
  void* device = nullptr;
  EXPECT_EQ(rig_.acl().host_register(other, nullptr, kPage, 0, &device), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_register(other, host_, 0, 0, &device), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_register(other, host_, kPage, 0, nullptr), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_register_v2(other, nullptr, kPage, 2), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_register_v2(other, host_, 0, 2), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_unregister(other, nullptr), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_get_device_pointer(other, nullptr, &device, 0), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_get_device_pointer(other, host_, nullptr, 0), AclCode::kInvalidParam);
  EXPECT_EQ(rig_.acl().host_register(other, host_, kPage, 0, &device), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig_.acl().host_register_v2(other, host_, kPage, 2), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig_.acl().host_get_device_pointer(other, host_, &device, 0), AclCode::kNoDeviceSet);
}

TEST_P(AclHostMemory, V2RefusesAnyOverlapWithTheListWithoutAskingTheDriver) {
  ASSERT_EQ(reg_v2(host_ + 4 * kPage, 2 * kPage), AclCode::kSuccess);
  EXPECT_EQ(reg_v2(host_ + 4 * kPage, 2 * kPage), AclCode::kHostMemoryRegistered);
  EXPECT_EQ(reg_v2(host_ + 5 * kPage, kPage), AclCode::kHostMemoryRegistered);
  EXPECT_EQ(reg_v2(host_ + 6 * kPage - 1, 1), AclCode::kHostMemoryRegistered);
  EXPECT_EQ(reg_v2(host_ + 3 * kPage, kPage + 1), AclCode::kHostMemoryRegistered);
  EXPECT_EQ(reg_v2(host_, 16 * kPage), AclCode::kHostMemoryRegistered);
  EXPECT_EQ(rig_.log.count(CallKind::kRegister), 1u);
  EXPECT_EQ(reg_v2(host_ + 3 * kPage, kPage), AclCode::kSuccess);
  EXPECT_EQ(reg_v2(host_ + 6 * kPage, kPage), AclCode::kSuccess);
}

TEST_P(AclHostMemory, TheOlderCallLeavesOverlapToTheDriver) {
  ASSERT_EQ(reg(host_, 2 * kPage), AclCode::kSuccess);
  EXPECT_EQ(reg(host_ + kPage, kPage), AclCode::kDriverError);  // R6: 8 or 12
  EXPECT_EQ(reg_v2(host_ + kPage, kPage), AclCode::kHostMemoryRegistered);
}

TEST_P(AclHostMemory, UnregisterOfAnythingButAnExactStartDoesNotAskTheDriver) {
  ASSERT_EQ(reg(host_, 2 * kPage), AclCode::kSuccess);
  EXPECT_EQ(unreg(host_ + kPage), AclCode::kHostMemoryNotRegistered);
  EXPECT_EQ(unreg(host_ + 1), AclCode::kHostMemoryNotRegistered);
  EXPECT_EQ(unreg(rig_.alloc(kPage)), AclCode::kHostMemoryNotRegistered);
  EXPECT_EQ(rig_.log.count(CallKind::kUnregister), 0u);
  EXPECT_EQ(unreg(host_), AclCode::kSuccess);
  EXPECT_EQ(rig_.log.count(CallKind::kUnregister), 1u);
}

TEST_P(AclHostMemory, UnregisterThatTheDriverRefusesKeepsTheEntry) {
  ASSERT_EQ(reg(host_, kPage), AclCode::kSuccess);
  const DeviceAddr base(reinterpret_cast<std::uint64_t>(host_));
  ASSERT_EQ(rig_.machine().host_unregister_ex(svmrt::kRunnerTimeline, base, 0, kHostMemMapDev).code, DriverCode::kNone);
  EXPECT_EQ(unreg(host_), AclCode::kDriverError);  // 38 or 8
  EXPECT_EQ(unreg(host_), AclCode::kDriverError);
}

TEST_P(AclHostMemory, DevicePointerNeedsTheExactStartAndFlagZero) {
  ASSERT_EQ(reg(host_, 2 * kPage), AclCode::kSuccess);
  void* device = this;
  EXPECT_EQ(device_pointer(host_ + kPage, &device), AclCode::kParamInvalid);
  EXPECT_EQ(device_pointer(host_ + 1, &device), AclCode::kParamInvalid);
  EXPECT_EQ(rig_.acl().host_get_device_pointer(rig_.thread, host_, &device, 1), AclCode::kParamInvalid);
  EXPECT_EQ(device, this);
}

// U5: v2's driver knows what was registered without the ACL layer; v3 has nobody to ask.
TEST_P(AclHostMemory, DevicePointerOfMemoryRegisteredWithTheDriverAloneIsKnownToV2) {
  const DeviceAddr base(reinterpret_cast<std::uint64_t>(host_));
  ASSERT_EQ(rig_.machine().host_register(svmrt::kRunnerTimeline, base, kPage, kHostMemMapDev, 0).code,
            DriverCode::kNone);
  void* device = nullptr;
  EXPECT_EQ(device_pointer(host_, &device),
            GetParam() == Personality::kV2 ? AclCode::kSuccess : AclCode::kParamInvalid);
  EXPECT_EQ(unreg(host_), AclCode::kHostMemoryNotRegistered);
}

// The driver itself finds out, after its own checks: a range that wraps is a parameter error (R8).
TEST_P(AclHostMemory, PagesThatAreNotThereAreAnInvalidHandle) {
  void* const gone = rig_.alloc_host(kPage);
  ASSERT_EQ(rig_.acl().free_host(rig_.thread, gone), AclCode::kSuccess);
  EXPECT_EQ(reg(gone, kPage), AclCode::kInvalidHandle);
  EXPECT_EQ(reg_v2(gone, kPage), AclCode::kInvalidHandle);
  EXPECT_EQ(reg(host_, ~std::uint64_t{0}), AclCode::kDriverError);
  EXPECT_EQ(unreg(gone), AclCode::kHostMemoryNotRegistered);
}

// R2: a device address mismatches the types that map host memory: 8 on v2, 65534 on v3.
TEST_P(AclHostMemory, DeviceMemoryIsNoHostMemory) {
  EXPECT_EQ(reg(rig_.alloc(kPage), kPage),
            GetParam() == Personality::kV2 ? AclCode::kDriverError : AclCode::kNotSupported);
}

TEST_P(AclHostMemory, LastResetForgetsTheList) {
  ASSERT_EQ(reg_v2(host_, kPage), AclCode::kSuccess);
  ASSERT_EQ(rig_.acl().reset_device(rig_.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(unreg(host_), AclCode::kHostMemoryNotRegistered);
  ASSERT_EQ(rig_.acl().set_device(rig_.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(reg_v2(host_, kPage), AclCode::kSuccess);
}

INSTANTIATE_TEST_SUITE_P(Both, AclHostMemory, testing::Values(Personality::kV2, Personality::kV3),
                         [](const auto& one) { return one.param == Personality::kV2 ? "V2" : "V3"; });

}  // namespace
}  // namespace svmsim
