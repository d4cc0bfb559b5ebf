// SPDX-License-Identifier: Apache-2.0
// Devices, their ids, and last errors.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "sim/acl/testing/acl_rig.h"

namespace svmsim {
namespace {

TEST(AclInit, SecondInitAndSecondFinalizeAreRefusedAndInitWorksAgain) {
  AclRig rig;
  EXPECT_EQ(rig.acl().finalize(rig.thread), AclCode::kUninitialized);
  EXPECT_EQ(rig.acl().init(rig.thread), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().init(rig.thread), AclCode::kRepeatInitialize);
  EXPECT_EQ(rig.acl().finalize(rig.thread), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().finalize(rig.thread), AclCode::kUninitialized);
  EXPECT_EQ(rig.acl().init(rig.thread), AclCode::kSuccess);
}

TEST(AclDevice, IdsOutsideTheVisibleListAreInvalid) {
  AclRig rig(test_platform(), {3, 5});
  for (const std::int32_t id : {-1, 2, 3}) {
    EXPECT_EQ(rig.acl().set_device(rig.thread, id), AclCode::kInvalidDevice) << id;
    EXPECT_EQ(rig.acl().reset_device(rig.thread, id), AclCode::kInvalidDevice) << id;
    std::int32_t real = 77;
    EXPECT_EQ(rig.acl().get_logic_device(rig.thread, id, &real), AclCode::kInvalidDevice) << id;
    EXPECT_EQ(real, 77);
  }
  EXPECT_EQ(rig.acl().set_device(rig.thread, 1), AclCode::kSuccess);
}

TEST(AclDevice, VisibleDevicesAreNumberedFromZero) {
  AclRig rig(test_platform(), {5, 3});
  std::int32_t real = 0;
  EXPECT_EQ(rig.acl().get_logic_device(rig.thread, 0, &real), AclCode::kSuccess);
  EXPECT_EQ(real, 5);
  EXPECT_EQ(rig.acl().get_logic_device(rig.thread, 1, &real), AclCode::kSuccess);
  EXPECT_EQ(real, 3);
  EXPECT_EQ(rig.acl().get_logic_device(rig.thread, 0, nullptr), AclCode::kInvalidParam);
}

// U1: a record is keyed by the device id in the block's allocation flag, so it shows which one aclrtMalloc passed.
TEST(AclDevice, DriverCallsTakeTheRealId) {
  AclRig rig(test_platform(), {5});
  const DeviceAddr block(reinterpret_cast<std::uint64_t>(rig.alloc(4096)));
  ASSERT_EQ(rig.machine().host_register(svmrt::kRunnerTimeline, block, 4096, kDevSvmMapHost, 0).code,
            DriverCode::kNone);
  EXPECT_EQ(rig.machine().host_unregister(svmrt::kRunnerTimeline, block, 0).code, DriverCode::kNotExist);
  EXPECT_EQ(rig.machine().host_unregister(svmrt::kRunnerTimeline, block, 5).code, DriverCode::kNone);
}

TEST(AclDevice, SetDeviceSwitchesRecordsOn) {
  AclRig rig;
  const DeviceAddr block(reinterpret_cast<std::uint64_t>(rig.alloc(4096)));
  EXPECT_EQ(rig.machine().host_unregister(svmrt::kRunnerTimeline, block, 0).code, DriverCode::kNotExist);  // U2
}

TEST(AclDevice, LastResetClosesAndForgetsBlocks) {
  AclRig rig;
  void* const block = rig.alloc(4096);
  ASSERT_EQ(rig.acl().set_device(rig.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().reset_device(rig.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.machine().live_blocks().size(), 1u);
  EXPECT_EQ(rig.log.count(CallKind::kClose), 0u);
  EXPECT_EQ(rig.acl().reset_device(rig.thread, 0), AclCode::kSuccess);
  EXPECT_TRUE(rig.machine().live_blocks().empty());
  EXPECT_EQ(rig.log.count(CallKind::kClose), 1u);
  EXPECT_EQ(rig.acl().reset_device(rig.thread, 0), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig.log.count(CallKind::kClose), 1u);
  EXPECT_EQ(rig.acl().free(rig.thread, block), AclCode::kNoDeviceSet);
  ASSERT_EQ(rig.acl().set_device(rig.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().free(rig.thread, block), AclCode::kParamInvalid);
}

TEST(AclDevice, MachineClosesWithTheLastDeviceOfAll) {
  AclRig rig(test_platform(), {0, 1});
  rig.alloc(4096);
  ASSERT_EQ(rig.acl().set_device(rig.thread, 1), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().reset_device(rig.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.machine().live_blocks().size(), 1u);
  EXPECT_EQ(rig.acl().reset_device(rig.thread, 1), AclCode::kSuccess);
  EXPECT_TRUE(rig.machine().live_blocks().empty());
}

TEST(AclDevice, EachThreadHasItsOwnCurrentDevice) {
  AclRig rig;
  AclThread other;
  void* device = nullptr;
  EXPECT_EQ(rig.acl().malloc(other, &device, 32, 0), AclCode::kNoDeviceSet);
  ASSERT_EQ(rig.acl().set_device(other, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().malloc(other, &device, 32, 0), AclCode::kSuccess);
  // The other's use is gone, the rig's is not.
  EXPECT_EQ(rig.acl().reset_device(other, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().free(rig.thread, device), AclCode::kSuccess);
  // A device that somebody else closed is no current device any more.
  EXPECT_EQ(rig.acl().reset_device(other, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().malloc(rig.thread, &device, 32, 0), AclCode::kNoDeviceSet);
}

TEST(AclDevice, OneThatSomebodyElseClosedAndOpenedAgainIsNoCurrentDevice) {
  AclRig rig;
  AclThread other;
  void* device = nullptr;
  ASSERT_EQ(rig.acl().reset_device(other, 0), AclCode::kSuccess);
  ASSERT_EQ(rig.acl().set_device(other, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().malloc(rig.thread, &device, 32, 0), AclCode::kNoDeviceSet);
  EXPECT_EQ(rig.acl().malloc(other, &device, 32, 0), AclCode::kSuccess);
  ASSERT_EQ(rig.acl().set_device(rig.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().free(rig.thread, device), AclCode::kSuccess);
}

TEST(AclDevice, CallsFromSeveralThreadsAreSafe) {
  AclRig rig;
  const auto work = [&rig] {
    AclThread thread;
    ASSERT_EQ(rig.acl().set_device(thread, 0), AclCode::kSuccess);
    for (int i = 0; i < 50; ++i) {
      void* device = nullptr;
      ASSERT_EQ(rig.acl().malloc(thread, &device, 4096, 0), AclCode::kSuccess);
      ASSERT_EQ(rig.acl().memset(thread, device, 4096, i, 4096), AclCode::kSuccess);
      ASSERT_EQ(rig.acl().free(thread, device), AclCode::kSuccess);
    }
    ASSERT_EQ(rig.acl().reset_device(thread, 0), AclCode::kSuccess);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_TRUE(rig.machine().live_blocks().empty());
  EXPECT_EQ(rig.log.count(CallKind::kClose), 0u);
}

TEST(AclLastError, IsOfItsThreadTheLatestAndForgottenOnceTold) {
  AclRig rig;
  AclThread other;
  EXPECT_EQ(rig.acl().get_last_error(rig.thread, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().free(rig.thread, nullptr), AclCode::kInvalidParam);
  EXPECT_EQ(rig.acl().free(rig.thread, &rig), AclCode::kParamInvalid);
  rig.alloc(32);  // a success changes nothing
  EXPECT_EQ(rig.acl().get_last_error(other, 0), AclCode::kSuccess);
  EXPECT_EQ(rig.acl().get_last_error(rig.thread, 1), AclCode::kInvalidParam);
  EXPECT_EQ(rig.acl().get_last_error(rig.thread, 0), AclCode::kParamInvalid);
  EXPECT_EQ(rig.acl().get_last_error(rig.thread, 0), AclCode::kSuccess);
}

TEST(AclSocName, FollowsThePersonality) {
  EXPECT_EQ(std::string(AclRig(acl_platform(Personality::kV2)).acl().soc_name()).substr(0, 10), "Ascend910B");
  EXPECT_EQ(std::string(AclRig(acl_platform(Personality::kV3)).acl().soc_name()).substr(0, 9), "Ascend950");
}

TEST(AclDevice, StaysTheCurrentOneUntilItsLastReset) {
  AclRig rig(test_platform(), {0, 1});
  ASSERT_EQ(rig.acl().set_device(rig.thread, 0), AclCode::kSuccess);
  ASSERT_EQ(rig.acl().reset_device(rig.thread, 0), AclCode::kSuccess);
  rig.alloc(4096);  // device 0 was set twice and reset once
  ASSERT_EQ(rig.acl().set_device(rig.thread, 1), AclCode::kSuccess);
  ASSERT_EQ(rig.acl().reset_device(rig.thread, 0), AclCode::kSuccess);
  rig.alloc(4096);  // the reset was another device's
}

}  // namespace
}  // namespace svmsim
