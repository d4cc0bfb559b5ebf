// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_map.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// Ranges of every length from 1 to the whole buffer, with both ends at every place: what is found, and what a
// replacement drops, is what a look at every entry finds.
TEST(TensorMapTest, FindsWhatALookAtEveryEntryFinds) {
  struct Known {
    std::uint32_t task, start, count;
  };
  TensorMap map(4096);
  std::vector<Known> known;
  std::uint64_t state = 12345;
  const auto below = [&state](std::uint32_t bound) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((state >> 33) % bound);
  };
  std::size_t found = 0;
  for (std::uint32_t task = 0; task < 3000; ++task) {
    const std::uint32_t count = 1 + below(1U << below(7));
    const std::uint32_t start = below(64 - std::min(count, 63U) + 1);
    const ChipTensor tensor = row(0x1000, start, std::min(count, 64 - start));
    const std::uint32_t end = start + tensor.shapes[0];
    const bool replaces = below(2) == 0;
    Tasks expected;
    std::vector<Known> kept;
    for (auto entry = known.rbegin(); entry != known.rend(); ++entry) {
      const bool overlaps = entry->start < end && start < entry->start + entry->count;
      const bool covered = start <= entry->start && entry->start + entry->count <= end;
      if (overlaps) expected.push_back(entry->task);
      if (!(replaces && covered)) kept.insert(kept.begin(), *entry);
    }
    known = kept;
    ASSERT_EQ(writers(map, tensor, replaces ? CoveredWriters::kReplace : CoveredWriters::kKeep), expected) << task;
    ASSERT_EQ(map.size(), known.size());
    found += expected.size();
    ASSERT_TRUE(map.record(task, tensor));
    known.push_back({task, start, tensor.shapes[0]});
  }
  EXPECT_GT(found, 3000U);
}

}  // namespace
}  // namespace svmrt
