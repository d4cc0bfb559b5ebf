// SPDX-License-Identifier: Apache-2.0
#include "runtime/run_views.h"

#include <gtest/gtest.h>

namespace svmrt {
namespace {

constexpr DeviceAddr kBase(0x1000);
constexpr AllocationId kFirst{1};
constexpr AllocationId kSecond{2};

TEST(RunViews, HoldsWhatWasNotedForThatAllocationOnly) {
  RunViews views(TimelineId{7});
  EXPECT_EQ(views.timeline(), TimelineId{7});
  EXPECT_FALSE(views.holds(kBase, kFirst));
  views.note_hold(kBase, kFirst, ViewUse::kAcquired);
  EXPECT_TRUE(views.holds(kBase, kFirst));
  EXPECT_FALSE(views.holds(kBase, kSecond));
  EXPECT_FALSE(views.holds(DeviceAddr(0x2000), kFirst));
  EXPECT_FALSE(views.has_registered(kBase));
}

TEST(RunViews, EndOfARegisteredHoldLeavesAnAcquiredOne) {
  RunViews views(kRunnerTimeline);
  views.note_hold(kBase, kFirst, ViewUse::kRegistered);
  EXPECT_TRUE(views.has_registered(kBase));
  EXPECT_FALSE(views.end_registered(kBase));
  EXPECT_FALSE(views.holds(kBase, kFirst));

  views.note_hold(kBase, kFirst, ViewUse::kRegistered);
  views.note_hold(kBase, kFirst, ViewUse::kAcquired);
  EXPECT_TRUE(views.end_registered(kBase));
  EXPECT_TRUE(views.holds(kBase, kFirst));
  EXPECT_FALSE(views.has_registered(kBase));
}

TEST(RunViews, FailureNoteDoesNotOutliveItsAllocation) {
  RunViews views(kRunnerTimeline);
  views.note_failure(kBase, kFirst);
  EXPECT_TRUE(views.has_failed(kBase, kFirst));
  EXPECT_FALSE(views.has_failed(kBase, kSecond));
  views.note_hold(kBase, kSecond, ViewUse::kAcquired);
  EXPECT_FALSE(views.has_failed(kBase, kSecond));
}

TEST(RunViews, TakeAllReturnsHoldsInAddressOrderWithoutFailureNotes) {
  RunViews views(kRunnerTimeline);
  views.note_hold(DeviceAddr(0x3000), kFirst, ViewUse::kAcquired);
  views.note_failure(DeviceAddr(0x2000), AllocationId{3});
  views.note_hold(kBase, kSecond, ViewUse::kRegistered);
  const auto held = views.take_all();
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0], kBase);
  EXPECT_EQ(held[1], DeviceAddr(0x3000));
  EXPECT_TRUE(views.take_all().empty());
}

TEST(RunViews, FailureOfALaterAllocationAtTheAddressReplacesTheEarlierOne) {
  RunViews views{kRunnerTimeline};
  const DeviceAddr base(0x1000);
  views.note_failure(base, AllocationId{1});
  views.note_failure(base, AllocationId{2});
  EXPECT_TRUE(views.has_failed(base, AllocationId{2}));
  EXPECT_FALSE(views.has_failed(base, AllocationId{1}));
}

}  // namespace
}  // namespace svmrt
