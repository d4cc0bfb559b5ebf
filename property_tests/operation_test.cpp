// SPDX-License-Identifier: Apache-2.0
#include "property_tests/operation.h"

#include <gtest/gtest.h>

#include <set>

namespace svmsim {
namespace {

TEST(Operation, EveryKindHasANameOfItsOwnThatLeadsBackToIt) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    const auto kind = static_cast<OperationKind>(i);
    names.insert(operation_name(kind));
    EXPECT_EQ(operation_from_name(operation_name(kind)), kind);
  }
  EXPECT_EQ(names.size(), kOperationKinds);
  EXPECT_EQ(operation_from_name("Allocate"), std::nullopt);
  EXPECT_EQ(operation_from_name(""), std::nullopt);
}

TEST(Operation, TextNamesWhatTheKindUsesAndNothingElse) {
  Operation claim{.kind = OperationKind::kClaim,
                  .slot = 2,
                  .run = 1,
                  .region = RegionKind::kStaged,
                  .offset = 8,
                  .size = 16,
                  .value = 9};
  EXPECT_EQ(operation_text(claim), "claim run 1, slot 2, offset 8, size 16, staged");
  EXPECT_EQ(operation_text({.kind = OperationKind::kFree, .slot = 3, .run = kRunner}),
            "free slot 3, offset 0, the runner");
  EXPECT_EQ(operation_text({.kind = OperationKind::kFinalize}), "finalize");
}

}  // namespace
}  // namespace svmsim
