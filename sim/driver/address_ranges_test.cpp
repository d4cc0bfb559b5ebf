// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/address_ranges.h"
#include "sim/driver/testing/test_values.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

inline constexpr DeviceAddr kRangeBase{0x100000};
inline constexpr Span kEight{kRangeBase, times(8, kPage)};
DeviceAddr page(std::uint64_t index) { return kRangeBase + times(index, kPage); }

TEST(AddressRanges, TakesTheLowestRangeThatFits) {
  AddressRanges ranges(kEight);
  EXPECT_EQ(ranges.take_first_fit(times(2, kPage), kPage), page(0));
  EXPECT_EQ(ranges.take_first_fit(kPage, kPage), page(2));
  ranges.give_back(Span{page(0), times(2, kPage)});
  EXPECT_EQ(ranges.take_first_fit(times(3, kPage), kPage), page(3));
  EXPECT_EQ(ranges.take_first_fit(kPage, kPage), page(0));
}

TEST(AddressRanges, FullRangeHasNothingAndOneMorePageDoesNotFit) {
  AddressRanges ranges(kEight);
  EXPECT_FALSE(ranges.take_first_fit(times(9, kPage), kPage).has_value());
  EXPECT_EQ(ranges.take_first_fit(times(8, kPage), kPage), page(0));
  EXPECT_FALSE(ranges.take_first_fit(kPage, kPage).has_value());
}

TEST(AddressRanges, GivenBackNeighboursMergeOnBothSides) {
  AddressRanges ranges(kEight);
  ASSERT_TRUE(ranges.take_at(kEight));
  ranges.give_back(Span{page(1), kPage});
  ranges.give_back(Span{page(3), kPage});
  EXPECT_FALSE(ranges.take_at(Span{page(1), times(3, kPage)}));
  ranges.give_back(Span{page(2), kPage});
  EXPECT_TRUE(ranges.take_at(Span{page(1), times(3, kPage)}));
}

TEST(AddressRanges, AlignsTheStart) {
  AddressRanges ranges(kEight);
  ASSERT_TRUE(ranges.take_at(Span{page(0), kPage}));
  EXPECT_EQ(ranges.take_first_fit(times(4, kPage), times(4, kPage)), page(4));
  EXPECT_EQ(ranges.take_first_fit(times(3, kPage), kPage), page(1));
}

TEST(AddressRanges, TakeAtInTheMiddleKeepsBothSides) {
  AddressRanges ranges(kEight);
  ASSERT_TRUE(ranges.take_at(Span{page(3), times(2, kPage)}));
  EXPECT_FALSE(ranges.take_at(Span{page(4), times(2, kPage)}));
  EXPECT_TRUE(ranges.take_at(Span{page(0), times(3, kPage)}));
  EXPECT_TRUE(ranges.take_at(Span{page(5), times(3, kPage)}));
}

TEST(AddressPool, DriverReusesTheLowest) {
  AddressPool pool(kEight, AddressReuse::kDriver);
  const RecentlyFreed::Key key{0, PageKind::kOrdinary, kPage};
  ASSERT_EQ(pool.take(key, kPage), page(0));
  ASSERT_EQ(pool.take(key, kPage), page(1));
  pool.give_back(key, page(0));
  pool.give_back(key, page(1));
  EXPECT_EQ(pool.take(key, kPage), page(0));
}

TEST(AddressPool, LifoReusesTheLatestOfTheSameSizeAndKind) {
  AddressPool pool(kEight, AddressReuse::kLifo);
  const RecentlyFreed::Key key{0, PageKind::kOrdinary, kPage};
  const RecentlyFreed::Key two_pages{0, PageKind::kOrdinary, times(2, kPage)};
  ASSERT_EQ(pool.take(key, kPage), page(0));
  ASSERT_EQ(pool.take(key, kPage), page(1));
  ASSERT_EQ(pool.take(two_pages, kPage), page(2));
  pool.give_back(key, page(0));
  pool.give_back(key, page(1));
  pool.give_back(two_pages, page(2));
  EXPECT_EQ(pool.take(key, kPage), page(1));
  EXPECT_EQ(pool.take(key, kPage), page(0));
  EXPECT_EQ(pool.take(key, kPage), page(2));
  EXPECT_EQ(pool.take(two_pages, kPage), page(3));  // page 2 is in use: its entry is forgotten
}

TEST(AddressPool, QuarantineNeverReissues) {
  AddressPool pool(kEight, AddressReuse::kQuarantine);
  const RecentlyFreed::Key key{0, PageKind::kOrdinary, times(4, kPage)};
  ASSERT_EQ(pool.take(key, kPage), page(0));
  pool.give_back(key, page(0));
  ASSERT_EQ(pool.take(key, kPage), page(4));
  pool.give_back(key, page(4));
  EXPECT_FALSE(pool.take(key, kPage).has_value());
}

}  // namespace
}  // namespace svmsim
