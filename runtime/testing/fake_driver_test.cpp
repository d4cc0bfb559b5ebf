// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/fake_driver.h"

#include <gtest/gtest.h>

#include <array>

#include "runtime/sync.h"
#include "runtime/testing/allocation_guard.h"
#include "runtime/testing/test_support.h"

namespace svmrt::testing {
namespace {

constexpr TimelineId kLine = kRunnerTimeline;
constexpr Bytes kPage = FakeDriver::kPage;

TEST(FakeDriver, FreedAddressIsHandedOutAgain) {
  FakeDriver driver;
  const DeviceAddr first = driver.allocate(kLine, Bytes(100)).address;
  const DeviceAddr second = driver.allocate(kLine, kPage).address;
  EXPECT_EQ(second - first, kPage);
  EXPECT_EQ(driver.free(kLine, first), DriverCode::kNone);
  EXPECT_EQ(driver.allocate(kLine, kPage + Bytes(1)).address, second + kPage) << "too big for the gap";
  EXPECT_EQ(driver.allocate(kLine, kPage).address, first);
}

TEST(FakeDriver, AllocateRefusesNothingAndTooMuch) {
  FakeDriver driver;
  EXPECT_EQ(driver.allocate(kLine, Bytes(0)).code, DriverCode::kInvalidValue);
  EXPECT_EQ(driver.allocate(kLine, FakeDriver::kArena + Bytes(1)).code, DriverCode::kOutOfMemory);
  EXPECT_EQ(driver.allocate(kLine, FakeDriver::kArena).code, DriverCode::kNone);
  EXPECT_EQ(driver.allocate(kLine, Bytes(1)).code, DriverCode::kOutOfMemory);
}

TEST(FakeDriver, FreeWhileMappedIsBusy) {
  FakeDriver driver;
  const DeviceAddr base = driver.allocate(kLine, kPage).address;
  ASSERT_EQ(driver.register_to_host(kLine, base, kPage).code, DriverCode::kNone);
  EXPECT_EQ(driver.free(kLine, base), DriverCode::kBusy);
  EXPECT_EQ(driver.unregister_from_host(kLine, base), DriverCode::kNone);
  EXPECT_EQ(driver.free(kLine, base + Bytes(1)), DriverCode::kInvalidValue);
  EXPECT_EQ(driver.free(kLine, base), DriverCode::kNone);
  EXPECT_EQ(driver.free(kLine, base), DriverCode::kInvalidValue);
}

TEST(FakeDriver, RegisterChecksBoundsAndOverlap) {
  FakeDriver driver;
  const DeviceAddr base = driver.allocate(kLine, Bytes(100)).address;
  EXPECT_EQ(driver.register_to_host(kLine, base, Bytes(101)).code, DriverCode::kInvalidValue);
  EXPECT_EQ(driver.register_to_host(kLine, base, Bytes(0)).code, DriverCode::kInvalidValue);
  EXPECT_EQ(driver.register_to_host(kLine, base, Bytes(100)).code, DriverCode::kNone);
  EXPECT_EQ(driver.register_to_host(kLine, base + Bytes(99), Bytes(1)).code, DriverCode::kParaError);
  EXPECT_EQ(driver.unregister_from_host(kLine, base + Bytes(1)), DriverCode::kNotExist);
  EXPECT_EQ(driver.unregister_from_host(kLine, base), DriverCode::kNone);
  EXPECT_EQ(driver.unregister_from_host(kLine, base), DriverCode::kNotExist);
}

TEST(FakeDriver, IdentityMappingIsAtTheDeviceAddress) {
  FakeDriver driver(MappingPlace::kIdentity);
  const DeviceAddr base = driver.allocate(kLine, kPage).address;
  const RegisterResult mapped = driver.register_to_host(kLine, base, kPage);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.host), base.value());
}

TEST(FakeDriver, MappingElsewhereAliasesTheSameBytesAndIsNoKey) {
  FakeDriver driver(MappingPlace::kElsewhere);
  const DeviceAddr base = driver.allocate(kLine, kPage).address;
  const RegisterResult mapped = driver.register_to_host(kLine, base, kPage);
  const auto host = reinterpret_cast<std::uintptr_t>(mapped.host);
  EXPECT_NE(host, base.value());
  const std::uint32_t value = 0x01020304;
  ASSERT_EQ(driver.copy_to_device(kLine, base + Bytes(8), &value, Bytes(4)), DriverCode::kNone);
  std::uint32_t seen = 0;
  std::memcpy(&seen, static_cast<std::byte*>(mapped.host) + 8, sizeof seen);
  EXPECT_EQ(seen, value);
  EXPECT_EQ(driver.unregister_from_host(kLine, DeviceAddr(host)), DriverCode::kNotExist);
}

TEST(FakeDriver, CopiesStayInsideOneBlock) {
  FakeDriver driver;
  const DeviceAddr base = driver.allocate(kLine, Bytes(16)).address;
  std::array<std::byte, 17> buffer{};
  EXPECT_EQ(driver.copy_from_device(kLine, buffer.data(), base, Bytes(16)), DriverCode::kNone);
  EXPECT_EQ(driver.copy_from_device(kLine, buffer.data(), base, Bytes(17)), DriverCode::kInvalidValue);
  EXPECT_EQ(driver.copy_to_device(kLine, base + Bytes(1), buffer.data(), Bytes(16)), DriverCode::kInvalidValue);
  EXPECT_EQ(driver.set_memory(kLine, base, 0x5a, Bytes(16)), DriverCode::kNone);
  EXPECT_EQ(driver.set_memory(kLine, base, 0x5a, Bytes(17)), DriverCode::kInvalidValue);
  EXPECT_EQ(peek<std::uint16_t>(driver, base + Bytes(14)), 0x5a5a);
}

TEST(FakeDriver, ScriptedFailureHitsOneCallOfItsKindAndHasNoEffect) {
  FakeDriver driver;
  driver.fail(CallKind::kAllocate, 1, DriverCode::kOutOfMemory);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kNone);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kOutOfMemory);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kNone);
  EXPECT_EQ(driver.live_blocks(), 2u);
  driver.fail_next(CallKind::kAllocate, DriverCode::kInnerErr);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kInnerErr);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kNone);
  driver.fail_always(CallKind::kAllocate, DriverCode::kInnerErr);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kInnerErr);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kInnerErr);
  driver.stop_failing(CallKind::kAllocate);
  EXPECT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kNone);
}

TEST(FakeDriver, FailedCopySpoilsItsDestination) {
  FakeDriver driver;
  const DeviceAddr base = driver.allocate(kLine, kPage).address;
  driver.fail_next(CallKind::kCopyFromDevice, DriverCode::kIoctlFail);
  std::uint8_t byte = 0;
  EXPECT_EQ(driver.copy_from_device(kLine, &byte, base, Bytes(1)), DriverCode::kIoctlFail);
  EXPECT_EQ(byte, 0xEE);
}

TEST(FakeDriver, CallsAreRecordedInOrder) {
  FakeDriver driver;
  const DeviceAddr base = driver.allocate(kLine, Bytes(64)).address;
  driver.fail_next(CallKind::kRegister, DriverCode::kNotSupport);
  EXPECT_EQ(driver.register_to_host(kLine, base, Bytes(64)).code, DriverCode::kNotSupport);
  EXPECT_EQ(driver.free(kLine, base), DriverCode::kNone);
  EXPECT_EQ(driver.sequence(), "allocate register free");
  EXPECT_EQ(driver.count(CallKind::kRegister), 1u);
  const auto calls = driver.calls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[1].address, base);
  EXPECT_EQ(calls[1].bytes, Bytes(64));
  EXPECT_EQ(calls[1].code, DriverCode::kNotSupport);
}

TEST(FakeDriver, TimelinesForkFromAndJoinTheRunners) {
  FakeDriver driver;
  driver.set_cost(CallKind::kAllocate, Picoseconds(10));
  ASSERT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kNone);
  const TimelineId run = driver.open_timeline();
  EXPECT_EQ(driver.open_timelines(), 1u);
  EXPECT_EQ(driver.now_ps(run), Picoseconds(10));
  ASSERT_EQ(driver.allocate(run, kPage).code, DriverCode::kNone);
  EXPECT_EQ(driver.now_ps(run), Picoseconds(20));
  EXPECT_EQ(driver.now_ps(kLine), Picoseconds(10));
  driver.close_timeline(run);
  EXPECT_EQ(driver.now_ps(kLine), Picoseconds(20));
  EXPECT_EQ(driver.open_timelines(), 0u);
}

TEST(FakeDriver, CallUnderALockOfTheRuntimeIsCounted) {
  FakeDriver driver;
  ASSERT_EQ(driver.allocate(kLine, kPage).code, DriverCode::kNone);
  EXPECT_EQ(driver.calls_with_lock_held(), 0u);
  ASSERT_EQ(allocations_with_lock_held(), 0u);
  Mutex mutex;
  AllocateResult result;
  {
    LockGuard lock(mutex);
    result = driver.allocate(kLine, Bytes(0));
  }
  EXPECT_EQ(result.code, DriverCode::kInvalidValue);
  EXPECT_EQ(driver.calls_with_lock_held(), 1u);
  reset_allocations_with_lock_held();  // the fake itself allocates in a call
}

}  // namespace
}  // namespace svmrt::testing
