// SPDX-License-Identifier: Apache-2.0
#include "runtime/allocation_map.h"

#include <gtest/gtest.h>

#include <utility>

namespace svmrt {
namespace {

bool add(AllocationMap& map, std::uint64_t base, std::uint64_t size) {
  return map.insert(AllocationMap::make(DeviceAddr(base), Bytes(size)));
}

TEST(AllocationMap, MakeGivesAFreshRecord) {
  AllocationMap::Node node = AllocationMap::make(DeviceAddr(0x1000), Bytes(64));
  ASSERT_FALSE(node.empty());
  EXPECT_EQ(node.key(), DeviceAddr(0x1000));
  EXPECT_EQ(node.mapped().base, DeviceAddr(0x1000));
  EXPECT_EQ(node.mapped().size, Bytes(64));
  EXPECT_EQ(node.mapped().state, ViewState::kAbsent);
  EXPECT_EQ(node.mapped().host, nullptr);
  EXPECT_EQ(node.mapped().users, 0u);
}

// Behaviour 17.
TEST(AllocationMap, OwnerIsFoundFromTheFirstToTheLastByteAndNotBeyond) {
  AllocationMap map;
  ASSERT_TRUE(add(map, 0x1000, 0x100));
  ASSERT_TRUE(add(map, 0x3000, 0x10));
  EXPECT_EQ(map.owner_of(DeviceAddr(0xfff)), nullptr);
  ASSERT_NE(map.owner_of(DeviceAddr(0x1000)), nullptr);
  EXPECT_EQ(map.owner_of(DeviceAddr(0x1000))->base, DeviceAddr(0x1000));
  ASSERT_NE(map.owner_of(DeviceAddr(0x10ff)), nullptr);
  EXPECT_EQ(map.owner_of(DeviceAddr(0x10ff))->base, DeviceAddr(0x1000));
  EXPECT_EQ(map.owner_of(DeviceAddr(0x1100)), nullptr);
  ASSERT_NE(map.owner_of(DeviceAddr(0x300f)), nullptr);
  EXPECT_EQ(map.owner_of(DeviceAddr(0x300f))->base, DeviceAddr(0x3000));
  EXPECT_EQ(map.owner_of(DeviceAddr(0x3010)), nullptr);
}

// Bug D4: adjacent ranges do not overlap, and dropping one leaves the other.
TEST(AllocationMap, AdjacentBlocksAreTwoBlocks) {
  AllocationMap map;
  EXPECT_TRUE(add(map, 0x1000, 0x100));
  EXPECT_TRUE(add(map, 0x1100, 0x100));
  EXPECT_TRUE(add(map, 0xf00, 0x100));
  EXPECT_EQ(map.size(), 3u);
  const AllocationMap::Node taken = map.extract(DeviceAddr(0x1000));
  EXPECT_EQ(taken.mapped().size, Bytes(0x100));
  EXPECT_EQ(map.owner_of(DeviceAddr(0x10ff)), nullptr);
  EXPECT_NE(map.owner_of(DeviceAddr(0xfff)), nullptr);
  EXPECT_NE(map.owner_of(DeviceAddr(0x1100)), nullptr);
}

// Bug D3: an existing range inside the new one, before it, behind it.
TEST(AllocationMap, OverlappingBlocksAreRefused) {
  AllocationMap map;
  ASSERT_TRUE(add(map, 0x1000, 0x100));
  EXPECT_FALSE(add(map, 0x1000, 0x100)) << "same";
  EXPECT_FALSE(add(map, 0x1000, 0x200)) << "same base, longer";
  EXPECT_FALSE(add(map, 0x10ff, 0x100)) << "starts in its last byte";
  EXPECT_FALSE(add(map, 0xf00, 0x101)) << "ends in its first byte";
  EXPECT_FALSE(add(map, 0x800, 0x1000)) << "contains it";
  EXPECT_FALSE(add(map, 0x1010, 1)) << "inside it";
  EXPECT_EQ(map.size(), 1u);
}

TEST(AllocationMap, EmptyAndOverflowingRangesAreRefused) {
  AllocationMap map;
  EXPECT_FALSE(add(map, 0x1000, 0));
  EXPECT_FALSE(add(map, ~std::uint64_t{0} - 0xf, 0x10));
  EXPECT_TRUE(add(map, ~std::uint64_t{0} - 0x10, 0x10));
}

TEST(AllocationMap, RefusedNodeStaysWithTheCaller) {
  AllocationMap map;
  ASSERT_TRUE(add(map, 0x1000, 0x100));
  AllocationMap::Node node = AllocationMap::make(DeviceAddr(0x1080), Bytes(1));
  EXPECT_FALSE(map.insert(std::move(node)));
  EXPECT_FALSE(node.empty());  // NOLINT(bugprone-use-after-move): that is the contract
}

TEST(AllocationMap, FindTakesOnlyBases) {
  AllocationMap map;
  ASSERT_TRUE(add(map, 0x1000, 0x100));
  EXPECT_NE(map.find(DeviceAddr(0x1000)), nullptr);
  EXPECT_EQ(map.find(DeviceAddr(0x1001)), nullptr);
}

TEST(AllocationMap, WalkVisitsEveryBlockInAddressOrder) {
  AllocationMap map;
  ASSERT_TRUE(add(map, 0x3000, 0x10));
  ASSERT_TRUE(add(map, 0x1000, 0x10));
  EXPECT_EQ(map.first_at_or_after(DeviceAddr(0))->base, DeviceAddr(0x1000));
  EXPECT_EQ(map.first_at_or_after(DeviceAddr(0x1000))->base, DeviceAddr(0x1000));
  EXPECT_EQ(map.first_at_or_after(DeviceAddr(0x1001))->base, DeviceAddr(0x3000));
  EXPECT_EQ(std::as_const(map).first_at_or_after(DeviceAddr(0x3000))->base, DeviceAddr(0x3000));
  EXPECT_EQ(map.first_at_or_after(DeviceAddr(0x3001)), nullptr);
}

}  // namespace
}  // namespace svmrt
