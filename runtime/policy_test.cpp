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
  EXPECT_EQ(policy_name(Policy::budget(Bytes(65536))), "budget:65536");
}

TEST(Policy, EveryNameLeadsBackToItsPolicy) {
  ASSERT_EQ(fixed_policies().size(), 4u);
  for (const Policy policy : fixed_policies()) EXPECT_EQ(policy_from_name(policy_name(policy)), policy);
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{4096}, (std::uint64_t{1} << 63) - 1}) {
    const Policy policy = Policy::budget(Bytes(bytes));
    EXPECT_EQ(policy_from_name(policy_name(policy)), policy);
  }
}

TEST(Policy, OtherNamesAreNoPolicy) {
  EXPECT_EQ(policy_from_name(""), std::nullopt);
  EXPECT_EQ(policy_from_name("Cached"), std::nullopt);
  EXPECT_EQ(policy_from_name("register_all"), std::nullopt);
  for (const char* const name : {"budget", "budget:", "budget:0", "budget:-1", "budget:+1", "budget:4k", "budget: 4",
                                 "budget:9223372036854775808", "Budget:4096"}) {
    EXPECT_EQ(policy_from_name(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace svmrt
