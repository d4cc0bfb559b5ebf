// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/board_port.h"

#include <gtest/gtest.h>

#include "runtime/testing/test_support.h"

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::kRunnerTimeline;
using svmrt::testing::CallKind;
using svmrt::testing::FakeDriver;

class BoardPortTest : public testing::Test {
 protected:
  BoardPortTest() : base_(port_.allocate(kRunnerTimeline, Bytes(4096)).address) {}

  FakeDriver driver_;
  BoardPort port_{driver_};
  const DeviceAddr base_;
  std::uint64_t word_ = 5;
};

TEST_F(BoardPortTest, CallsAreCountedByWhatTheDriverAnswered) {
  ASSERT_EQ(port_.register_to_host(kRunnerTimeline, base_, Bytes(4096)).code, DriverCode::kNone);
  driver_.fail_next(CallKind::kUnregister, DriverCode::kBusy);
  EXPECT_EQ(port_.unregister_from_host(kRunnerTimeline, base_), DriverCode::kBusy);
  EXPECT_EQ(port_.counts().unmap_calls, 0u);
  EXPECT_EQ(port_.unregister_from_host(kRunnerTimeline, base_), DriverCode::kNone);
  driver_.fail_next(CallKind::kRegister, DriverCode::kNotSupport);
  EXPECT_EQ(port_.register_to_host(kRunnerTimeline, base_, Bytes(4096)).code, DriverCode::kNotSupport);
  driver_.fail_next(CallKind::kFree, DriverCode::kIoctlFail);
  EXPECT_EQ(port_.free(kRunnerTimeline, base_), DriverCode::kIoctlFail);
  EXPECT_EQ(port_.counts().free_calls, 0u);
  EXPECT_EQ(port_.free(kRunnerTimeline, base_), DriverCode::kNone);
  EXPECT_EQ(port_.counts().map_calls, 1u);
  EXPECT_EQ(port_.counts().map_refused, 1u);
  EXPECT_EQ(port_.counts().unmap_calls, 1u);
  EXPECT_EQ(port_.counts().free_calls, 1u);
}

TEST_F(BoardPortTest, NothingIsCopiedForHostMemoryWithoutData) {
  alignas(8) char none[64];
  port_.declare_host_without_data(none, Bytes(sizeof none));
  for (char* const at : {none, none + 63}) {
    EXPECT_EQ(port_.copy_to_device(kRunnerTimeline, base_, at, Bytes(1)), DriverCode::kNone);
    EXPECT_EQ(port_.copy_from_device(kRunnerTimeline, at, base_, Bytes(1)), DriverCode::kNone);
  }
  EXPECT_EQ(driver_.count(CallKind::kCopyToDevice) + driver_.count(CallKind::kCopyFromDevice), 0u);
  EXPECT_EQ(port_.copy_to_device(kRunnerTimeline, base_, &word_, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(port_.copy_from_device(kRunnerTimeline, &word_, base_, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(driver_.count(CallKind::kCopyToDevice) + driver_.count(CallKind::kCopyFromDevice), 2u);
}

TEST_F(BoardPortTest, DeviceRangeHasNoDataUntilItsBlockIsFreed) {
  port_.declare_device_without_data(base_ + Bytes(64), Bytes(64));
  const auto has_data = [&](std::uint64_t offset, std::uint64_t size) {
    return port_.has_data(base_ + Bytes(offset), Bytes(size));
  };
  EXPECT_TRUE(has_data(0, 64));
  EXPECT_TRUE(has_data(128, 8));
  EXPECT_FALSE(has_data(0, 65));
  EXPECT_FALSE(has_data(64, 8));
  EXPECT_FALSE(has_data(120, 8));
  EXPECT_FALSE(has_data(120, 100));
  port_.declare_device_without_data(base_, Bytes(4096));
  EXPECT_FALSE(has_data(0, 1));
  ASSERT_EQ(port_.free(kRunnerTimeline, base_), DriverCode::kNone);
  EXPECT_TRUE(has_data(0, 1));
}

}  // namespace
}  // namespace svmsim
