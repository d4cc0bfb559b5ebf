// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/dataless_ranges.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(DatalessRanges, TouchIsExactAtBothEnds) {
  DatalessRanges ranges;
  ranges.add(100, 50);
  EXPECT_FALSE(ranges.touches(90, 10));
  EXPECT_TRUE(ranges.touches(90, 11));
  EXPECT_TRUE(ranges.touches(149, 1));
  EXPECT_FALSE(ranges.touches(150, 10));
  EXPECT_TRUE(ranges.touches(0, 1000));
}

TEST(DatalessRanges, EmptyRangesAndEmptySpansTouchNothing) {
  DatalessRanges ranges;
  ranges.add(100, 0);
  EXPECT_FALSE(ranges.touches(0, 1000));
  ranges.add(100, 50);
  EXPECT_FALSE(ranges.touches(120, 0));
}

TEST(DatalessRanges, RemoveForgetsTheRangeThatStartsThere) {
  DatalessRanges ranges;
  ranges.add(100, 50);
  ranges.add(200, 50);
  ranges.remove(120);
  EXPECT_TRUE(ranges.touches(120, 1));
  ranges.remove(100);
  EXPECT_FALSE(ranges.touches(120, 1));
  EXPECT_TRUE(ranges.touches(200, 1));
  ranges.clear();
  EXPECT_FALSE(ranges.touches(0, 1000));
}

}  // namespace
}  // namespace svmsim
