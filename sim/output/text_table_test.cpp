// SPDX-License-Identifier: Apache-2.0
#include "sim/output/text_table.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCellAndLinesHaveNoTail) {
  TextTable table({"name", "n"});
  table.add({"a", "1,000"});
  table.add({"longer", ""});
  EXPECT_EQ(table.text(),
            "name        n\n"
            "------  -----\n"
            "a       1,000\n"
            "longer\n");
}

TEST(TextTable, CountsAreSeparatedByThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(TextTable, MicrosecondsRoundToTheNearestNanosecond) {
  EXPECT_EQ(microseconds_text(svmrt::Picoseconds(1'580'000)), "1.580");
  EXPECT_EQ(microseconds_text(svmrt::Picoseconds(1'580'499)), "1.580");
  EXPECT_EQ(microseconds_text(svmrt::Picoseconds(1'580'500)), "1.581");
  EXPECT_EQ(microseconds_text(svmrt::Picoseconds(1'234'000'000)), "1,234.000");
}

}  // namespace
}  // namespace svmsim
