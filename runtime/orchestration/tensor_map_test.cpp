// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace svmrt {
namespace {

using Tasks = std::vector<std::uint32_t>;

ChipTensor row(std::uintptr_t address, std::uint32_t start, std::uint32_t count) {
  const std::uint32_t whole[] = {64};
  const std::uint32_t offsets[] = {start};
  const std::uint32_t shapes[] = {count};
  return make_tensor_external(reinterpret_cast<void*>(address), whole, 1).view(shapes, offsets);
}

Tasks writers(TensorMap& map, const ChipTensor& tensor, CoveredWriters covered = CoveredWriters::kKeep) {
  Tasks tasks;
  map.find_writers(tensor, covered, tasks);
  return tasks;
}

TEST(TensorMapTest, FindsOverlappingWritersLatestFirst) {
  TensorMap map(8);
  ASSERT_TRUE(map.record(1, row(0x1000, 0, 32)));
  ASSERT_TRUE(map.record(2, row(0x1000, 32, 32)));
  ASSERT_TRUE(map.record(3, row(0x1000, 16, 32)));
  EXPECT_EQ(writers(map, row(0x1000, 0, 64)), (Tasks{3, 2, 1}));
  EXPECT_EQ(writers(map, row(0x1000, 0, 16)), (Tasks{1}));
  EXPECT_EQ(writers(map, row(0x2000, 0, 64)), Tasks{});
}

TEST(TensorMapTest, ReplaceDropsOnlyCoveredEntries) {
  TensorMap map(8);
  ASSERT_TRUE(map.record(1, row(0x1000, 0, 8)));
  ASSERT_TRUE(map.record(2, row(0x1000, 4, 28)));
  ASSERT_TRUE(map.record(3, row(0x1000, 8, 8)));
  EXPECT_EQ(writers(map, row(0x1000, 0, 16), CoveredWriters::kReplace), (Tasks{3, 2, 1}));
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(writers(map, row(0x1000, 0, 64)), (Tasks{2}));
}

TEST(TensorMapTest, CapacityCountsLiveEntries) {
  TensorMap map(2);
  ASSERT_TRUE(map.record(1, row(0x1000, 0, 8)));
  ASSERT_TRUE(map.record(2, row(0x2000, 0, 8)));
  EXPECT_FALSE(map.record(3, row(0x3000, 0, 8)));
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(writers(map, row(0x2000, 0, 8), CoveredWriters::kReplace), (Tasks{2}));
  EXPECT_TRUE(map.record(3, row(0x3000, 0, 8)));
  EXPECT_EQ(writers(map, row(0x3000, 0, 8)), (Tasks{3}));
  EXPECT_EQ(writers(map, row(0x2000, 0, 8)), Tasks{});
  EXPECT_EQ(writers(map, row(0x1000, 0, 8)), (Tasks{1}));
}

}  // namespace
}  // namespace svmrt
