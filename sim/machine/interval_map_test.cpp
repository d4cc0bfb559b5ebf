// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/interval_map.h"

#include <gtest/gtest.h>

#include <string>

namespace svmsim {
namespace {

using svmrt::DeviceAddr;

class IntervalMapTest : public ::testing::Test {
 protected:
  void assign(std::uint64_t begin, std::uint64_t end, int value) {
    map_.assign(DeviceAddr(begin), DeviceAddr(end), value);
  }
  // The values, one digit each, of the addresses from 9 to 20; '.' where nothing is assigned.
  [[nodiscard]] std::string row() const {
    std::string text;
    for (std::uint64_t address = 9; address <= 20; ++address) {
      const int* const value = map_.find(DeviceAddr(address));
      text += value == nullptr ? "." : std::to_string(*value);
    }
    return text;
  }
  IntervalMap<int> map_;
};

TEST_F(IntervalMapTest, ValueHoldsFromItsBeginToBeforeItsEnd) {
  assign(10, 20, 1);
  EXPECT_EQ(row(), ".1111111111.");
}

TEST_F(IntervalMapTest, LaterValueReplacesThePartItCovers) {
  assign(10, 20, 1);
  assign(14, 16, 2);
  EXPECT_EQ(row(), ".1111221111.");
}

TEST_F(IntervalMapTest, LaterValueOverSeveralReplacesThemAll) {
  assign(10, 12, 1);
  assign(14, 16, 2);
  assign(18, 20, 3);
  assign(11, 19, 4);
  EXPECT_EQ(row(), ".1444444443.");
}

TEST_F(IntervalMapTest, UpdateChangesWhatIsInsideAndLeavesGapsEmpty) {
  assign(10, 14, 1);
  assign(16, 20, 2);
  map_.update(DeviceAddr(12), DeviceAddr(18), [](int& value) { value += 4; });
  EXPECT_EQ(row(), ".1155..6622.");
}

}  // namespace
}  // namespace svmsim
