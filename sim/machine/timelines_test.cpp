// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/timelines.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

constexpr TimelineId kRunner = svmrt::kRunnerTimeline;

TEST(Timelines, StartAtZeroAndAdvanceByTheCost) {
  Timelines timelines;
  EXPECT_EQ(timelines.now(kRunner), Picoseconds(0));
  EXPECT_EQ(timelines.occupy_driver(kRunner, Picoseconds(7)), Picoseconds(0));
  EXPECT_EQ(timelines.now(kRunner), Picoseconds(7));
}

TEST(Timelines, OpenedTimelineStartsAtTheRunnersPresent) {
  Timelines timelines;
  timelines.advance(kRunner, Picoseconds(100));
  const TimelineId run = timelines.open();
  EXPECT_EQ(timelines.now(run), Picoseconds(100));
}

TEST(Timelines, CallWaitsWhileTheDriverServesAnotherTimeline) {
  Timelines timelines;
  const TimelineId first = timelines.open();
  const TimelineId second = timelines.open();
  timelines.occupy_driver(first, Picoseconds(10));
  EXPECT_EQ(timelines.occupy_driver(second, Picoseconds(5)), Picoseconds(10));
  EXPECT_EQ(timelines.now(second), Picoseconds(15));
  EXPECT_EQ(timelines.now(first), Picoseconds(10));
}

TEST(Timelines, DeviceAndDriverDoNotWaitForEachOther) {
  Timelines timelines;
  const TimelineId first = timelines.open();
  const TimelineId second = timelines.open();
  timelines.occupy_device(first, Picoseconds(1000));
  EXPECT_EQ(timelines.occupy_driver(second, Picoseconds(5)), Picoseconds(0));
  EXPECT_EQ(timelines.occupy_device(second, Picoseconds(5)), Picoseconds(1000));
}

TEST(Timelines, HostWorkOccupiesNothing) {
  Timelines timelines;
  const TimelineId run = timelines.open();
  timelines.advance(run, Picoseconds(50));
  EXPECT_EQ(timelines.occupy_driver(kRunner, Picoseconds(1)), Picoseconds(0));
}

TEST(Timelines, ClosingMovesTheRunnerForwardNeverBack) {
  Timelines timelines;
  const TimelineId slow = timelines.open();
  const TimelineId fast = timelines.open();
  timelines.advance(slow, Picoseconds(30));
  timelines.advance(fast, Picoseconds(10));
  timelines.close(slow);
  EXPECT_EQ(timelines.now(kRunner), Picoseconds(30));
  timelines.close(fast);
  EXPECT_EQ(timelines.now(kRunner), Picoseconds(30));
}

TEST(Timelines, ClosedIdsAreReusedLowestFirst) {
  Timelines timelines;
  const TimelineId first = timelines.open();
  const TimelineId second = timelines.open();
  EXPECT_EQ(first, TimelineId{1});
  EXPECT_EQ(second, TimelineId{2});
  timelines.close(first);
  EXPECT_EQ(timelines.open(), TimelineId{1});
  EXPECT_EQ(timelines.open(), TimelineId{3});
}

using TimelinesDeathTest = ::testing::Test;

TEST(TimelinesDeathTest, UseOfAClosedTimelineAborts) {
  Timelines timelines;
  const TimelineId run = timelines.open();
  timelines.close(run);
  EXPECT_DEATH((void)timelines.now(run), "");
  EXPECT_DEATH(timelines.close(kRunner), "");
}

}  // namespace
}  // namespace svmsim
