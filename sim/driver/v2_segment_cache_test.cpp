// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v2_segment_cache.h"
#include "sim/driver/testing/test_values.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

inline constexpr DeviceAddr kCacheBase{0x12c000000000};
Span pages(std::uint64_t first, std::uint64_t count) {
  return Span{kCacheBase + times(first, kPage), times(count, kPage)};
}
// Three segments that touch.
const Span kFirst = pages(0, 8);
const Span kSecond = pages(8, 8);
const Span kThird = pages(16, 16);

TEST(F2Cache, ExactFitWinsOverASmallerAddress) {
  V2SegmentCache cache;
  cache.add(kThird, kThird);
  cache.add(pages(0, 4), kFirst);
  cache.add(pages(9, 2), kSecond);
  EXPECT_EQ(cache.take(times(2, kPage)), pages(9, 2).base);
}

TEST(F2Cache, ExactFitsComeLastInFirstOut) {
  V2SegmentCache cache;
  cache.add(pages(0, 2), kFirst);
  cache.add(pages(8, 2), kSecond);
  cache.add(pages(16, 2), kThird);
  EXPECT_EQ(cache.take(times(2, kPage)), pages(16, 2).base);
  EXPECT_EQ(cache.take(times(2, kPage)), pages(8, 2).base);
  EXPECT_EQ(cache.take(times(2, kPage)), pages(0, 2).base);
  EXPECT_FALSE(cache.take(times(2, kPage)).has_value());
}

TEST(F2Cache, SmallestLargerPieceIsTakenFromItsStart) {
  V2SegmentCache cache;
  cache.add(kThird, kThird);
  cache.add(pages(8, 5), kSecond);
  EXPECT_EQ(cache.take(times(3, kPage)), pages(8, 3).base);
  EXPECT_EQ(cache.take(times(2, kPage)), pages(11, 2).base);  // the rest fits exactly
  EXPECT_EQ(cache.bytes(), kThird.size);
}

TEST(F2Cache, NoPieceLargeEnoughGivesNothing) {
  V2SegmentCache cache;
  cache.add(pages(0, 3), kFirst);
  EXPECT_FALSE(cache.take(times(4, kPage)).has_value());
  EXPECT_EQ(cache.bytes(), times(3, kPage));
}

TEST(F2Cache, NeighboursInOneSegmentMerge) {
  V2SegmentCache cache;
  cache.add(pages(0, 2), kFirst);
  cache.add(pages(5, 3), kFirst);
  EXPECT_FALSE(cache.take(times(4, kPage)).has_value());
  EXPECT_FALSE(cache.smallest_whole_segment().has_value());
  cache.add(pages(2, 3), kFirst);
  EXPECT_EQ(cache.smallest_whole_segment(), kFirst);
  EXPECT_EQ(cache.take(times(8, kPage)), kFirst.base);
}

TEST(F2Cache, NeighboursOfDifferentSegmentsStayApart) {
  V2SegmentCache cache;
  cache.add(kFirst, kFirst);
  cache.add(kThird, kThird);
  cache.add(kSecond, kSecond);
  EXPECT_FALSE(cache.take(times(17, kPage)).has_value());
  EXPECT_EQ(cache.take(times(9, kPage)), kThird.base);
}

TEST(F2bCache, SmallestWholeSegmentSkipsPiecesAndGoesBySize) {
  V2SegmentCache cache;
  cache.add(kThird, kThird);
  cache.add(pages(0, 7), kFirst);
  EXPECT_EQ(cache.smallest_whole_segment(), kThird);
  cache.add(kSecond, kSecond);
  EXPECT_EQ(cache.smallest_whole_segment(), kSecond);
  cache.remove(kSecond);
  EXPECT_EQ(cache.smallest_whole_segment(), kThird);
  EXPECT_EQ(cache.bytes(), kThird.size + times(7, kPage));
}

TEST(F2bCache, SplitSegmentIsWholeAgainOnlyWhenAllOfItIsFree) {
  V2SegmentCache cache;
  cache.add(kFirst, kFirst);
  ASSERT_EQ(cache.take(kPage), kFirst.base);
  EXPECT_FALSE(cache.smallest_whole_segment().has_value());
  cache.add(pages(0, 1), kFirst);
  EXPECT_EQ(cache.smallest_whole_segment(), kFirst);
}

}  // namespace
}  // namespace svmsim
