// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/interval_map.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

using svmrt::DeviceAddr;

class IntervalMapTest : public ::testing::Test {
 protected:
  void assign(std::uint64_t begin, std::uint64_t end, int value) {
    map_.assign(DeviceAddr(begin), DeviceAddr(end), value);
  }
  // 0 where nothing is assigned.
  [[nodiscard]] int at(std::uint64_t address) const {
    const int* const value = map_.find(DeviceAddr(address));
    return value == nullptr ? 0 : *value;
  }
  IntervalMap<int> map_;
};

TEST_F(IntervalMapTest, ValueHoldsFromItsBeginToBeforeItsEnd) {
  assign(10, 20, 1);
  EXPECT_EQ(at(9), 0);
  EXPECT_EQ(at(10), 1);
  EXPECT_EQ(at(19), 1);
  EXPECT_EQ(at(20), 0);
}

TEST_F(IntervalMapTest, LaterValueReplacesThePartItCovers) {
  assign(10, 20, 1);
  assign(14, 16, 2);
  EXPECT_EQ(at(13), 1);
  EXPECT_EQ(at(14), 2);
  EXPECT_EQ(at(15), 2);
  EXPECT_EQ(at(16), 1);
  EXPECT_EQ(at(19), 1);
}

TEST_F(IntervalMapTest, LaterValueOverSeveralReplacesThemAll) {
  assign(10, 12, 1);
  assign(14, 16, 2);
  assign(18, 20, 3);
  assign(11, 19, 4);
  EXPECT_EQ(at(10), 1);
  EXPECT_EQ(at(11), 4);
  EXPECT_EQ(at(18), 4);
  EXPECT_EQ(at(19), 3);
}

TEST_F(IntervalMapTest, UpdateChangesWhatIsInsideAndLeavesGapsEmpty) {
  assign(10, 14, 1);
  assign(16, 20, 2);
  map_.update(DeviceAddr(12), DeviceAddr(18), [](int& value) { value += 10; });
  EXPECT_EQ(at(11), 1);
  EXPECT_EQ(at(12), 11);
  EXPECT_EQ(at(14), 0);
  EXPECT_EQ(at(17), 12);
  EXPECT_EQ(at(18), 2);
}

}  // namespace
}  // namespace svmsim
