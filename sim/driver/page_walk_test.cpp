// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/page_walk.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(PageWalkOf, LengthRoundsUpToPagesOfTheBlock) {
  const auto ordinary = [](std::uint64_t bytes) {
    return page_walk(Bytes(bytes), PageKind::kOrdinary, Bytes(4096), Bytes(4096)).allocation_pages;
  };
  EXPECT_EQ(ordinary(0), 0U);
  EXPECT_EQ(ordinary(1), 1U);
  EXPECT_EQ(ordinary(4096), 1U);
  EXPECT_EQ(ordinary(4097), 2U);
}

TEST(PageWalkOf, HugePageFills512EntriesOfA4KibHostAnd32OfA64KibHost) {
  const PageWalk small = page_walk(Bytes(1), PageKind::kHuge, Bytes(4096), Bytes(4096));
  EXPECT_EQ(small.allocation_pages, 1U);
  EXPECT_EQ(small.host_pages, 512U);
  EXPECT_EQ(page_walk(Bytes(1), PageKind::kHuge, Bytes(4096), Bytes(65536)).host_pages, 32U);
}

TEST(PageWalkOf, OrdinaryPagesOnOtherHostPages) {
  // Sixteen ordinary 4 KiB pages share a 64 KiB entry; a 64 KiB page fills sixteen 4 KiB entries.
  EXPECT_EQ(page_walk(Bytes(65536), PageKind::kOrdinary, Bytes(4096), Bytes(65536)).host_pages, 1U);
  EXPECT_EQ(page_walk(Bytes(65537), PageKind::kOrdinary, Bytes(4096), Bytes(65536)).host_pages, 2U);
  EXPECT_EQ(page_walk(Bytes(1), PageKind::kOrdinary, Bytes(65536), Bytes(4096)).host_pages, 16U);
}

TEST(PageWalkOf, GiantMemoryIsMapped2MiBAtATime) {
  const PageWalk walk = page_walk(Bytes(std::uint64_t{1} << 30), PageKind::kGiant, Bytes(4096), Bytes(4096));
  EXPECT_EQ(walk.allocation_pages, 512U);
  EXPECT_EQ(walk.host_pages, 262144U);
}

}  // namespace
}  // namespace svmsim
