// SPDX-License-Identifier: Apache-2.0
#include "runtime/lifecycle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/testing/test_support.h"

namespace svmrt {
namespace {

using testing::error_of;

TEST(Lifecycle, FreshOneLetsCallsAndRunsIn) {
  Lifecycle lifecycle;
  EXPECT_EQ(error_of(lifecycle.enter_call()), std::nullopt);
  lifecycle.leave_call();
  EXPECT_EQ(error_of(lifecycle.enter_run()), std::nullopt);
  EXPECT_EQ(lifecycle.open_runs(), 1u);
  lifecycle.leave_run();
  EXPECT_EQ(lifecycle.open_runs(), 0u);
  EXPECT_FALSE(lifecycle.finalized());
  EXPECT_FALSE(lifecycle.device_lost());
}

TEST(Lifecycle, FinalizeIsRefusedWhileARunIsOpenAndChangesNothing) {
  Lifecycle lifecycle;
  ASSERT_TRUE(lifecycle.enter_run());
  EXPECT_EQ(error_of(lifecycle.begin_finalize()), ErrorCode::kInUse);
  EXPECT_FALSE(lifecycle.finalized());
  EXPECT_EQ(error_of(lifecycle.enter_run()), std::nullopt);
}

TEST(Lifecycle, AfterFinalizeCallsAndRunsAreRefusedAndFinalizeMayRunAgain) {
  Lifecycle lifecycle;
  ASSERT_TRUE(lifecycle.begin_finalize());
  lifecycle.end_finalize();
  EXPECT_TRUE(lifecycle.finalized());
  EXPECT_EQ(error_of(lifecycle.enter_call()), ErrorCode::kFinalized);
  EXPECT_EQ(error_of(lifecycle.enter_run()), ErrorCode::kFinalized);
  EXPECT_EQ(lifecycle.open_runs(), 0u);
  ASSERT_TRUE(lifecycle.begin_finalize());
  lifecycle.end_finalize();
}

TEST(Lifecycle, AfterDeviceLossEverythingIsRefused) {
  Lifecycle lifecycle;
  lifecycle.lose_device();
  EXPECT_TRUE(lifecycle.device_lost());
  EXPECT_EQ(error_of(lifecycle.enter_call()), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(lifecycle.enter_run()), ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(lifecycle.begin_finalize()), ErrorCode::kDeviceLost);
}

TEST(Lifecycle, FinalizeClosesTheDoorThenWaitsForTheCallUnderWay) {
  Lifecycle lifecycle;
  ASSERT_TRUE(lifecycle.enter_call());
  std::atomic<bool> begun{false};
  std::thread finalizer([&] {
    const bool ok = lifecycle.begin_finalize().has_value();
    begun = ok;
    lifecycle.end_finalize();
  });
  while (lifecycle.enter_call()) {
    lifecycle.leave_call();
    std::this_thread::yield();
  }
  EXPECT_FALSE(begun);
  lifecycle.leave_call();
  finalizer.join();
  EXPECT_TRUE(begun);
}

TEST(Lifecycle, SecondFinalizeWaitsForTheEndOfTheFirst) {
  Lifecycle lifecycle;
  ASSERT_TRUE(lifecycle.begin_finalize());
  std::atomic<bool> begun{false};
  std::thread second([&] {
    const bool ok = lifecycle.begin_finalize().has_value();
    begun = ok;
    lifecycle.end_finalize();
  });
  for (int i = 0; i < 10'000 && !begun; ++i) std::this_thread::yield();
  EXPECT_FALSE(begun);
  lifecycle.end_finalize();
  second.join();
  EXPECT_TRUE(begun);
}

}  // namespace
}  // namespace svmrt
