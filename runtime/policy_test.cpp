// SPDX-License-Identifier: Apache-2.0
#include "runtime/policy.h"

#include <gtest/gtest.h>

namespace svmrt {
namespace {

TEST(Policy, NamesAreStable) {
  EXPECT_EQ(policy_name(Policy::kCached), "cached");
  EXPECT_EQ(policy_name(Policy::kRebuild), "rebuild");
  EXPECT_EQ(policy_name(Policy::kRegisterAll), "register-all");
  EXPECT_EQ(policy_name(Policy::kCopyOnly), "copy-only");
}

TEST(Policy, EveryNameLeadsBackToItsPolicy) {
  ASSERT_EQ(all_policies().size(), 4u);
  for (const Policy policy : all_policies()) EXPECT_EQ(policy_from_name(policy_name(policy)), policy);
}

TEST(Policy, OtherNamesAreNoPolicy) {
  EXPECT_EQ(policy_from_name(""), std::nullopt);
  EXPECT_EQ(policy_from_name("Cached"), std::nullopt);
  EXPECT_EQ(policy_from_name("register_all"), std::nullopt);
}

}  // namespace
}  // namespace svmrt
