// SPDX-License-Identifier: Apache-2.0
// The adapter on libraries that have what it needs: which calls it makes, with which ids, and what it passes on.
#include "onboard/board_driver.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "onboard/testing/board_fixture.h"

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::kRunnerTimeline;
using testing::ElementsAre;

class BoardCalls : public BoardFixture {};

TEST_F(BoardCalls, NegativeDeviceIdIsRefusedBeforeAnyCall) {
  for (const std::int32_t device : {-1, INT32_MIN}) {
    BoardConfig bad = config();
    bad.device = device;
    const auto made = BoardDriver::create(bad);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, svmrt::ErrorCode::kInvalidArgument);
    EXPECT_EQ(made.error().message, "device id '" + std::to_string(device) + "'; it must be 0 or above");
  }
  EXPECT_THAT(board_.calls(), ElementsAre());
}

TEST_F(BoardCalls, NothingIsLoadedOrCalledUntilItIsNeeded) {
  BoardConfig nowhere = config();
  nowhere.acl_library = library("absent");
  nowhere.hal_library = library("absent");
  {
    const auto driver = make(nowhere);
    EXPECT_TRUE(driver->capabilities().host_map_path);
    EXPECT_EQ(driver->now_ps(driver->open_timeline()), svmrt::Picoseconds(7));
    EXPECT_FALSE(driver->device_lost());
  }
  EXPECT_EQ(errors(""), 0);
  EXPECT_THAT(board_.calls(), ElementsAre());
}

TEST_F(BoardCalls, LifeOfABlockIsOneCallForEach) {
  {
    const auto driver = make(config());
    const DeviceAddr base = allocate(*driver, 100);
    const std::uint64_t value = 42;
    EXPECT_EQ(driver->copy_to_device(kRunnerTimeline, base, &value, Bytes(8)), DriverCode::kNone);
    EXPECT_EQ(driver->set_memory(kRunnerTimeline, base + Bytes(4), 0xff, Bytes(1)), DriverCode::kNone);
    const svmrt::RegisterResult view = driver->register_to_host(kRunnerTimeline, base, Bytes(100));
    ASSERT_EQ(view.code, DriverCode::kNone);
    std::uint64_t seen = 0;
    std::memcpy(&seen, view.host, sizeof seen);
    EXPECT_EQ(seen, 42u + (0xffull << 32));
    std::uint64_t copied = 0;
    EXPECT_EQ(driver->copy_from_device(kRunnerTimeline, &copied, base, Bytes(8)), DriverCode::kNone);
    EXPECT_EQ(copied, seen);
    EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, base), DriverCode::kNone);
    EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kNone);
  }
  EXPECT_THAT(board_.calls(), ElementsAre("aclInit()", "aclrtSetDevice(0)", "aclrtMalloc(100, 0)", "aclrtMemcpy(8, 1)",
                                          "aclrtMemset(255, 1)", "aclrtGetLogicDevIdByUserDevId(0)",
                                          "halHostRegister(2, 0)", "aclrtMemcpy(8, 2)", "halHostUnregister(0)",
                                          "aclrtFree()", "aclrtResetDevice(0)", "aclFinalize()"));
  expect_nothing_left();
  EXPECT_EQ(errors(""), 0);
}

// W1: ACL calls take the process' number of a device, hal calls the driver's.
TEST_F(BoardCalls, DeviceIdIsTranslatedForHalCallsAlone) {
  board_.reset({.visible_devices = {5, 3}});
  {
    BoardConfig second = config();
    second.device = 1;
    const auto driver = make(second);
    const DeviceAddr base = allocate(*driver);
    EXPECT_EQ(driver->register_to_host(kRunnerTimeline, base, Bytes(4096)).code, DriverCode::kNone);
    EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, base), DriverCode::kNone);
    EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kNone);
  }
  EXPECT_THAT(board_.calls(),
              ElementsAre("aclInit()", "aclrtSetDevice(1)", "aclrtMalloc(4096, 0)", "aclrtGetLogicDevIdByUserDevId(1)",
                          "halHostRegister(2, 3)", "halHostUnregister(3)", "aclrtFree()", "aclrtResetDevice(1)",
                          "aclFinalize()"));
  expect_nothing_left();
}

TEST_F(BoardCalls, TranslationThatFailsOrGivesNoIdReachesNoHalCall) {
  board_.plan_answer("aclrtGetLogicDevIdByUserDevId", 107001);
  {
    const auto driver = make(config());
    const DeviceAddr base = allocate(*driver);
    EXPECT_EQ(driver->register_to_host(kRunnerTimeline, base, Bytes(4096)).code, DriverCode::kInvalidDevice);
    EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kNone);
  }
  EXPECT_EQ(errors("halHostRegister is not called: aclrtGetLogicDevIdByUserDevId(0) failed with INVALID_DEVICE (2)"),
            1);
  board_.reset({.visible_devices = {-4}});
  {
    const auto driver = make(config());
    const DeviceAddr base = allocate(*driver);
    EXPECT_EQ(driver->register_to_host(kRunnerTimeline, base, Bytes(4096)).code, DriverCode::kInvalidDevice);
    EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kNone);
  }
  EXPECT_EQ(errors("gave device id '-4'; it must be 0 or above"), 1);
  EXPECT_EQ(board_.count("halHostRegister"), 0u);
  expect_nothing_left();
}

TEST_F(BoardCalls, A5HasNoHostMapPathAndLoadsNoHal) {
  BoardConfig a5 = with_hal("absent");
  a5.kind = BoardKind::kA5;
  const auto driver = make(a5);
  EXPECT_FALSE(driver->capabilities().host_map_path);
  const DeviceAddr base = allocate(*driver);
  const svmrt::RegisterResult view = driver->register_to_host(kRunnerTimeline, base, Bytes(4096));
  EXPECT_EQ(view.code, DriverCode::kNotSupport);
  EXPECT_EQ(view.host, nullptr);
  EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, base), DriverCode::kNotSupport);
  EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kNone);
  EXPECT_EQ(board_.count("halHostRegister") + board_.count("halHostUnregister"), 0u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(BoardCalls, CodesArePassedOnAndNotLogged) {
  const auto driver = make(config());
  const DeviceAddr base = allocate(*driver);
  for (const std::int32_t code : {8, 13, 65534, 4711}) {
    board_.plan_answer("halHostRegister", code);
    board_.plan_answer("halHostUnregister", code);
    EXPECT_EQ(driver->register_to_host(kRunnerTimeline, base, Bytes(4096)).code, DriverCode{code});
    EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, base), DriverCode{code});
  }
  board_.plan_answer("aclrtMalloc", 207001);
  EXPECT_EQ(driver->allocate(kRunnerTimeline, Bytes(8)).code, DriverCode::kOutOfMemory);
  board_.plan_answer("aclrtFree", 507899);
  EXPECT_EQ(driver->free(kRunnerTimeline, base), DriverCode::kAclDriverError);
  board_.plan_answer("aclrtMemcpy", 507012);
  board_.plan_answer("aclrtMemset", 500001);
  std::uint64_t value = 0;
  EXPECT_EQ(driver->copy_to_device(kRunnerTimeline, base, &value, Bytes(8)), DriverCode::kWaitTimeout);
  EXPECT_EQ(driver->copy_from_device(kRunnerTimeline, &value, base, Bytes(8)), DriverCode::kWaitTimeout);
  EXPECT_EQ(driver->set_memory(kRunnerTimeline, base, 0, Bytes(8)), DriverCode{500001});
  EXPECT_EQ(errors(""), 0);
}

TEST_F(BoardCalls, SizeZeroIsNoCall) {
  const auto driver = make(config());
  EXPECT_EQ(driver->allocate(kRunnerTimeline, Bytes(0)).code, DriverCode::kInvalidValue);
  EXPECT_THAT(board_.calls(), ElementsAre());
}

TEST_F(BoardCalls, WhoeverInitializedTheAclRuntimeFinalizesIt) {
  ASSERT_EQ(board_.acl_init(), 0);
  {
    const auto driver = make(config());
    EXPECT_TRUE(driver->open());
    EXPECT_EQ(board_.device_uses(), 1);
  }
  EXPECT_EQ(board_.count("aclFinalize"), 0u);
  EXPECT_TRUE(board_.initialized());
  EXPECT_EQ(board_.device_uses(), 0);
}

TEST_F(BoardCalls, DeviceThatDoesNotOpenIsTriedOnceAndEveryFunctionSaysWhyOnce) {
  {
    BoardConfig third = config();
    third.device = 3;
    const auto driver = make(third);
    const auto opened = driver->open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, svmrt::ErrorCode::kDriver);
    EXPECT_EQ(opened.error().message, "aclrtSetDevice(3) failed with INVALID_DEVICE (2)");
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(driver->allocate(kRunnerTimeline, Bytes(8)).code, DriverCode::kInvalidDevice);
      EXPECT_EQ(driver->register_to_host(kRunnerTimeline, DeviceAddr(4096), Bytes(8)).code, DriverCode::kInvalidDevice);
    }
  }
  EXPECT_EQ(errors("aclrtMalloc is not called: aclrtSetDevice(3) failed with INVALID_DEVICE (2)"), 1);
  EXPECT_EQ(errors("halHostRegister is not called: aclrtSetDevice(3) failed with INVALID_DEVICE (2)"), 1);
  EXPECT_EQ(errors(""), 2);
  EXPECT_THAT(board_.calls(), ElementsAre("aclInit()", "aclrtSetDevice(3)", "aclFinalize()"));
}

TEST_F(BoardCalls, DeviceThatIsNotThereWasNeverLost) {
  board_.reset({.answers = {{"aclrtSetDevice", 207004}}});
  {
    const auto driver = make(config());
    EXPECT_EQ(driver->allocate(kRunnerTimeline, Bytes(8)).code, DriverCode::kNoDevice);
    EXPECT_FALSE(driver->device_lost());
  }
  EXPECT_EQ(errors("aclrtMalloc is not called: aclrtSetDevice(0) failed with NO_DEVICE (1)"), 1);
  EXPECT_EQ(errors(""), 1);
  expect_nothing_left();
}

TEST_F(BoardCalls, FailureToCloseIsLogged) {
  board_.plan_answer("aclrtResetDevice", 507899);
  board_.plan_answer("aclFinalize", 100001);
  { EXPECT_TRUE(make(config())->open()); }
  EXPECT_EQ(errors("aclrtResetDevice(0) failed with ACL_DRIVER_ERROR (507899)"), 1);
  EXPECT_EQ(errors("aclFinalize() failed with UNKNOWN (100001)"), 1);
}

// Two drivers on one thread: each call is about the device of its own driver.
TEST_F(BoardCalls, DriversOfTwoDevicesTakeTurnsOnOneThread) {
  board_.reset({.visible_devices = {0, 1}});
  {
    const auto first = make(config());
    BoardConfig other = config();
    other.device = 1;
    const auto second = make(other);
    const DeviceAddr a = allocate(*first);
    const DeviceAddr b = allocate(*second);
    EXPECT_EQ(first->free(kRunnerTimeline, a), DriverCode::kNone);
    EXPECT_EQ(second->free(kRunnerTimeline, b), DriverCode::kNone);
  }
  EXPECT_THAT(board_.calls(),
              ElementsAre("aclInit()", "aclrtSetDevice(0)", "aclrtMalloc(4096, 0)", "aclInit()", "aclrtSetDevice(1)",
                          "aclrtMalloc(4096, 0)", "aclrtSetDevice(0)", "aclrtFree()", "aclrtSetDevice(1)",
                          "aclrtFree()", "aclrtResetDevice(1)", "aclrtResetDevice(1)", "aclrtResetDevice(0)",
                          "aclrtResetDevice(0)", "aclFinalize()"));
  EXPECT_EQ(board_.device_uses(), 0);
}

TEST_F(BoardCalls, DriverMadeAfterAnotherClosedSetsTheDeviceAnew) {
  for (int i = 0; i < 2; ++i) {
    const auto driver = make(config());
    EXPECT_EQ(driver->free(kRunnerTimeline, allocate(*driver)), DriverCode::kNone);
  }
  EXPECT_EQ(board_.count("aclrtSetDevice"), 2u);
  expect_nothing_left();
}

// The ACL runtime keeps the current device per thread: a thread that was never given one is refused with 107002.
TEST_F(BoardCalls, EveryThreadIsGivenTheDeviceOnceAndCallsNeverOverlap) {
  {
    const auto driver = make(config());
    const auto work = [&] {
      for (int i = 0; i < 200; ++i) {
        const svmrt::AllocateResult block = driver->allocate(driver->open_timeline(), Bytes(64));
        ASSERT_EQ(block.code, DriverCode::kNone);
        EXPECT_EQ(driver->register_to_host(kRunnerTimeline, block.address, Bytes(64)).code, DriverCode::kNone);
        EXPECT_EQ(driver->unregister_from_host(kRunnerTimeline, block.address), DriverCode::kNone);
        EXPECT_EQ(driver->free(kRunnerTimeline, block.address), DriverCode::kNone);
      }
    };
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
    EXPECT_EQ(board_.count("aclrtSetDevice"), 2u);
    EXPECT_EQ(board_.device_uses(), 2);
    EXPECT_EQ(driver->open_timeline(), svmrt::TimelineId{401}) << "timelines are numbered once each";
  }
  EXPECT_FALSE(board_.calls_overlapped());
  expect_nothing_left();
}

TEST_F(BoardCalls, TimeIsTheClocksOnEveryTimeline) {
  std::uint64_t ticks = 0;
  BoardConfig ticking = config();
  ticking.clock = [&] { return svmrt::Picoseconds(ticks += 10); };
  const auto driver = make(ticking);
  const svmrt::TimelineId run = driver->open_timeline();
  EXPECT_NE(run, kRunnerTimeline);
  EXPECT_EQ(driver->now_ps(run), svmrt::Picoseconds(10));
  EXPECT_EQ(driver->now_ps(kRunnerTimeline), svmrt::Picoseconds(20));
  driver->close_timeline(run);
  EXPECT_EQ(driver->now_ps(kRunnerTimeline), svmrt::Picoseconds(30));
}

}  // namespace
}  // namespace svmsim
