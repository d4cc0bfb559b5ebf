// SPDX-License-Identifier: Apache-2.0
#include "runtime/region_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace svmrt {
namespace {

using Region = RegionIndex::Region;

constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();

Region region(std::uint64_t first, std::uint64_t size, bool refuses = false) {
  return {first, first + (size - 1), refuses};
}

// What comes first among the regions that contain the address, by looking at each.
std::optional<std::uint32_t> first_at(const std::vector<Region>& regions, std::uint64_t address) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    if (address < regions[i].first || address > regions[i].last) continue;
    if (!best || (regions[*best].refuses && !regions[i].refuses)) best = i;
  }
  return best;
}

// As an access looks for it; counted if it finds one.
const RegionIndex::Segment* found_at(RegionIndex& index, std::uint64_t address, std::uint64_t size,
                                     RegionIndex::Uses& uses) {
  const std::uint64_t before = uses.count();
  const RegionIndex::Segment* segment = index.quick_open_at(address, size, uses);
  if (segment == nullptr) segment = index.open_at(address, size, uses);
  EXPECT_EQ(uses.count(), before + (segment != nullptr ? 1 : 0)) << address << " size " << size;
  return segment;
}

// At each address: the right segment, and its length ends where another region comes first.
void expect_right(const std::vector<Region>& regions, const std::vector<std::uint64_t>& addresses) {
  RegionIndex index;
  index.build(regions);
  for (const std::uint64_t address : addresses) {
    const auto expected = first_at(regions, address);
    if (!expected) continue;
    const RegionIndex::Number number = index.at(address);
    ASSERT_EQ(index[number].region, *expected) << "at " << address;
    ASSERT_GE(address, index.first(number)) << "at " << address;
    ASSERT_LT(address - index.first(number), index.length(number)) << "at " << address;
    for (const std::uint64_t inside : {index.first(number), index.first(number) + (index.length(number) - 1)}) {
      ASSERT_EQ(first_at(regions, inside), expected) << "segment of " << address << " reaches to " << inside;
    }
  }
}

// Opens every segment that the addresses lie in, then asks for spans around each address, time and again.
void expect_serves_only_what_is_open(const std::vector<Region>& regions, const std::vector<std::uint64_t>& addresses) {
  RegionIndex index;
  RegionIndex::Uses uses;
  index.build(regions);
  for (const std::uint64_t address : addresses) {
    ASSERT_EQ(found_at(index, address, 1, uses), nullptr) << "nothing is open yet: " << address;
  }
  for (const std::uint64_t address : addresses) {
    if (first_at(regions, address)) index.open(index.at(address), nullptr, true);
  }
  for (const std::uint64_t address : addresses) {
    const auto owner = first_at(regions, address);
    for (std::uint64_t size = 0; size <= 9; ++size) {
      bool inside = owner.has_value() && size >= 1 && size <= RegionIndex::kLongest && size - 1 <= kTop - address;
      for (std::uint64_t i = 1; inside && i < size; ++i) inside = first_at(regions, address + i) == owner;
      const RegionIndex::Segment* segment = found_at(index, address, size, uses);
      // The slow way is for a region that comes first again behind another, which is two segments, and for segments
      // that reach to the highest addresses.
      if (segment != nullptr) {
        ASSERT_TRUE(inside) << address << " size " << size;
        ASSERT_EQ(segment->region, *owner) << address << " size " << size;
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(segment->host(address)), address - index.first(index.at(address)))
            << address << " size " << size;
      } else if (inside) {
        const std::uint64_t last = index.first(index.at(address)) + (index.length(index.at(address)) - 1);
        ASSERT_TRUE(address + (size - 1) > last || kTop - last < RegionIndex::kLongest) << address << " size " << size;
      }
    }
  }
}

void expect_all_right(const std::vector<Region>& regions, const std::vector<std::uint64_t>& addresses) {
  expect_right(regions, addresses);
  expect_serves_only_what_is_open(regions, addresses);
}

std::vector<std::uint64_t> addresses_around(const std::vector<Region>& regions) {
  std::vector<std::uint64_t> addresses;
  for (const Region& one : regions) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      for (const std::uint64_t edge : {one.first, one.last}) {
        addresses.push_back(edge - i);  // wraps round where the edge is near 0
        addresses.push_back(edge + i);
      }
    }
  }
  return addresses;
}

TEST(RegionIndex, EmptyIndexServesNothing) {
  RegionIndex index;
  RegionIndex::Uses uses;
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1}, kTop - 1, kTop}) {
    EXPECT_EQ(found_at(index, address, 1, uses), nullptr);
  }
}

TEST(RegionIndex, ClearForgetsWhatWasOpen) {
  RegionIndex index;
  RegionIndex::Uses uses;
  index.build({region(100, 16)});
  index.open(index.at(100), nullptr, true);
  for (int i = 0; i < 1000; ++i) ASSERT_NE(found_at(index, 104, 4, uses), nullptr);
  index.clear();
  EXPECT_EQ(found_at(index, 104, 4, uses), nullptr);
}

TEST(RegionIndex, ClosedSegmentsServeNothingHoweverOftenTheyDid) {
  RegionIndex index;
  RegionIndex::Uses uses;
  index.build({region(100, 16), region(200, 16)});
  index.open(index.at(100), nullptr, true);
  for (int i = 0; i < 1000; ++i) ASSERT_NE(found_at(index, 104, 4, uses), nullptr);
  index.close_all();
  EXPECT_EQ(found_at(index, 104, 4, uses), nullptr);
  index.open(index.at(200), nullptr, true);
  EXPECT_EQ(found_at(index, 104, 4, uses), nullptr);
  EXPECT_NE(found_at(index, 204, 4, uses), nullptr);
}

TEST(RegionIndex, BuiltAgainItForgetsTheUsualSegment) {
  RegionIndex index;
  RegionIndex::Uses uses;
  index.build({region(100, 16)});
  index.open(index.at(100), nullptr, true);
  for (int i = 0; i < 1000; ++i) ASSERT_NE(found_at(index, 104, 4, uses), nullptr);
  std::vector<Region> others;
  for (std::uint64_t i = 1; i <= 100; ++i) others.push_back(region(1000 * i, 16));
  index.build(others);
  EXPECT_EQ(found_at(index, 104, 4, uses), nullptr);
}

TEST(RegionIndex, OneRegionAndItsEdges) {
  const std::vector<Region> regions = {region(100, 16)};
  expect_all_right(regions, addresses_around(regions));
}

TEST(RegionIndex, SpanThatBeginsBelowTheMostUsedRegionIsNotServed) {
  RegionIndex index;
  RegionIndex::Uses uses;
  index.build({region(100, 16), region(200, 16)});
  index.open(index.at(200), nullptr, true);
  for (int i = 0; i < 1000; ++i) ASSERT_NE(found_at(index, 200, 4, uses), nullptr);
  for (std::uint64_t below = 1; below < 8; ++below) {
    EXPECT_EQ(found_at(index, 200 - below, 8, uses), nullptr) << below;
  }
}

TEST(RegionIndex, RegionsAtBothEndsOfTheAddressSpace) {
  const std::vector<Region> regions = {region(1, 4),  region(5, 1),         region(8, 1),
                                       region(9, 20), {kTop - 5, kTop - 2}, {kTop, kTop}};
  expect_all_right(regions, addresses_around(regions));
  const std::vector<Region> over_all = {{1, kTop}, {kTop - 3, kTop}, region(1, 2)};
  expect_all_right(over_all, addresses_around(over_all));
  const std::vector<Region> hidden = {{kTop - 3, kTop}, {1, kTop}};
  expect_all_right(hidden, addresses_around(hidden));
}

TEST(RegionIndex, RefusingRegionsComeLast) {
  const std::vector<Region> regions = {region(100, 50, true), region(110, 10, true), region(120, 10), region(90, 100)};
  expect_all_right(regions, addresses_around(regions));
}

TEST(RegionIndex, SharedIsSaidOfSegmentsThatOtherRegionsTouch) {
  RegionIndex index;
  index.build({region(100, 10), region(105, 10), region(200, 10)});
  EXPECT_TRUE(index[index.at(100)].shared);
  EXPECT_TRUE(index[index.at(105)].shared);
  EXPECT_FALSE(index[index.at(200)].shared);
}

// Many at even distances, with a large one among them, in clusters, and far apart.
TEST(RegionIndex, ManyRegionsInEveryLayout) {
  for (const std::size_t count : {2u, 3u, 7u, 64u, 300u, 3000u}) {
    std::mt19937_64 random(count);
    std::vector<std::vector<Region>> layouts(5);
    for (std::size_t i = 0; i < count; ++i) {
      layouts[0].push_back(region(4096 * (i + 1), 4096));
      layouts[1].push_back(i == 1 ? region(1000, std::uint64_t{1} << 40)
                                  : region((std::uint64_t{1} << 41) + 100 * i, 64));
      layouts[2].push_back(region(((i % 2 + 1) << 44) + 16 * i, 16));
      layouts[3].push_back(region((std::uint64_t{1} << (i % 60)) + i / 60 + 1, 1));
      layouts[4].push_back(region(1 + random() % (kTop / 2), 1 + random() % 1000));
    }
    for (const auto& layout : layouts) {
      std::vector<std::uint64_t> addresses = addresses_around(layout);
      std::shuffle(addresses.begin(), addresses.end(), random);
      addresses.resize(std::min<std::size_t>(addresses.size(), 600));
      expect_all_right(layout, addresses);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RegionIndex, OverlapsOfEveryKindAgainstALookAtEachRegion) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t base = round % 3 == 0 ? 1 : round % 3 == 1 ? std::uint64_t{1} << 40 : kTop - 99;
    std::vector<Region> regions;
    const std::uint64_t count = 1 + random() % 12;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t first = random() % 99;
      regions.push_back({base + first, base + first + random() % (100 - first), random() % 4 == 0});
    }
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < 120; ++i) addresses.push_back(base + i - 10);
    expect_all_right(regions, addresses);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace svmrt
