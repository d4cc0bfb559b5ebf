// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/extent_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/driver/recording_backing.h"
#include "sim/driver/testing/test_values.h"

namespace svmsim {
namespace {

inline constexpr DeviceAddr kExtentBase{0x12c000000000};
inline constexpr Bytes kHostOffset{0x10000000};
DeviceAddr extent_page(std::uint64_t index) { return kExtentBase + times(index, kPage); }
Span pages(std::uint64_t first, std::uint64_t count) { return Span{extent_page(first), times(count, kPage)}; }

class ExtentMapTest : public testing::Test {
 protected:
  ExtentMapTest() : backing_(kHostOffset), map_(backing_) { backing_.populate(kExtentBase, times(64, kPage)); }
  ~ExtentMapTest() override {
    map_.drop_all();
    EXPECT_EQ(backing_.mapped_bytes(), Bytes(0));
    EXPECT_THAT(backing_.misuse(), testing::IsEmpty());
  }
  RecordingBacking backing_;
  ExtentMap map_;
  const DeviceAddr far_ = extent_page(64);
};

TEST_F(ExtentMapTest, OverlapsAtEitherEndButNotWhenTouching) {
  map_.map(pages(4, 4), HostAccess::kReadWrite);
  EXPECT_FALSE(map_.overlaps(pages(0, 4)));
  EXPECT_TRUE(map_.overlaps(pages(0, 5)));
  EXPECT_TRUE(map_.overlaps(pages(5, 1)));
  EXPECT_TRUE(map_.overlaps(pages(0, 20)));
  EXPECT_TRUE(map_.overlaps(pages(7, 2)));
  EXPECT_FALSE(map_.overlaps(pages(8, 2)));
}

TEST_F(ExtentMapTest, UnmapStopsAtTheNextRegistration) {
  map_.map(pages(0, 4), HostAccess::kReadWrite);
  map_.map(pages(4, 4), HostAccess::kReadOnly);
  EXPECT_EQ(map_.unmap_registration(extent_page(0), far_), times(4, kPage));
  const auto left = map_.extents();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].base, extent_page(4));
  EXPECT_EQ(left[0].size, times(4, kPage));
  EXPECT_EQ(left[0].access, HostAccess::kReadOnly);
}

TEST_F(ExtentMapTest, UnmapTakesOnlyTheExactStart) {
  map_.map(pages(4, 4), HostAccess::kReadWrite);
  EXPECT_EQ(map_.unmap_registration(extent_page(5), far_), Bytes(0));
  EXPECT_EQ(map_.unmap_registration(extent_page(3), far_), Bytes(0));
  EXPECT_EQ(backing_.mapped_bytes(), times(4, kPage));
}

TEST_F(ExtentMapTest, UnmapStopsAtTheLimitAndTheTailHasNoOwner) {
  map_.map(pages(4, 8), HostAccess::kReadWrite);
  EXPECT_EQ(map_.unmap_registration(extent_page(4), extent_page(8)), times(4, kPage));
  EXPECT_TRUE(backing_.is_mapped(extent_page(8), times(4, kPage)));
  EXPECT_EQ(map_.unmap_registration(extent_page(8), far_), Bytes(0));
  EXPECT_TRUE(map_.overlaps(pages(8, 1)));
}

TEST_F(ExtentMapTest, DropCutsExtentsAtBothEnds) {
  map_.map(pages(0, 8), HostAccess::kReadWrite);
  map_.map(pages(10, 8), HostAccess::kReadWrite);
  map_.drop(pages(4, 8));
  EXPECT_TRUE(backing_.is_mapped(extent_page(0), times(4, kPage)));
  EXPECT_FALSE(map_.overlaps(pages(4, 8)));
  EXPECT_TRUE(backing_.is_mapped(extent_page(12), times(6, kPage)));
  EXPECT_EQ(map_.unmap_registration(extent_page(0), far_), times(4, kPage));
}

TEST_F(ExtentMapTest, MapMissingFillsGapsOnly) {
  map_.map(pages(2, 2), HostAccess::kReadWrite);
  map_.map(pages(6, 1), HostAccess::kReadWrite);
  void* host = map_.map_missing(pages(0, 10), HostAccess::kReadWrite);
  EXPECT_EQ(host, reinterpret_cast<void*>((extent_page(0) + kHostOffset).value()));
  EXPECT_TRUE(backing_.is_mapped(extent_page(0), times(10, kPage)));
  EXPECT_EQ(map_.unmap_registration(extent_page(0), far_), times(2, kPage));
  EXPECT_EQ(map_.unmap_registration(extent_page(2), far_), times(4, kPage));
  EXPECT_EQ(map_.unmap_registration(extent_page(6), far_), times(4, kPage));
}

TEST_F(ExtentMapTest, MapMissingInsideAMappingSplitsItWithoutMapping) {
  map_.map(pages(0, 8), HostAccess::kReadWrite);
  void* host = map_.map_missing(pages(2, 2), HostAccess::kReadWrite);
  EXPECT_EQ(host, reinterpret_cast<void*>((extent_page(2) + kHostOffset).value()));
  EXPECT_EQ(backing_.map_calls(), 1);
  EXPECT_EQ(map_.unmap_registration(extent_page(0), far_), times(2, kPage));
  EXPECT_EQ(map_.unmap_registration(extent_page(2), far_), times(6, kPage));
}

}  // namespace
}  // namespace svmsim
