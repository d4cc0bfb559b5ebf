// SPDX-License-Identifier: Apache-2.0
#include "sim/backing.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(BackingNames, EachKindHasItsName) {
  EXPECT_EQ(backing_name(BackingKind::kPlain), "plain");
  EXPECT_EQ(backing_name(BackingKind::kMmu), "mmu");
}

TEST(BackingNames, NameMeansItsKindAndAnythingElseNone) {
  EXPECT_EQ(backing_from_name("plain"), BackingKind::kPlain);
  EXPECT_EQ(backing_from_name("mmu"), BackingKind::kMmu);
  for (const char* const other : {"", "MMU", "mm", "plain "})
    EXPECT_EQ(backing_from_name(other), std::nullopt) << other;
}

}  // namespace
}  // namespace svmsim
