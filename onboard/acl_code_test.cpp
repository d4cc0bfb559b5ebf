// SPDX-License-Identifier: Apache-2.0
#include "onboard/acl_code.h"

#include <gtest/gtest.h>

#include <set>

namespace svmsim {
namespace {

using svmrt::DriverCode;

TEST(AclCode, CodeThatStandsForOneOfTheDriverBecomesThat) {
  EXPECT_EQ(driver_code_of_acl(0), DriverCode::kNone);
  EXPECT_EQ(driver_code_of_acl(207001), DriverCode::kOutOfMemory);
  EXPECT_EQ(driver_code_of_acl(207000), DriverCode::kNotSupport);
  EXPECT_EQ(driver_code_of_acl(207004), DriverCode::kNoDevice);
  EXPECT_EQ(driver_code_of_acl(107001), DriverCode::kInvalidDevice);
  EXPECT_EQ(driver_code_of_acl(107000), DriverCode::kInvalidValue);
}

TEST(AclCode, OthersKeepTheirNumber) {
  for (const std::int32_t number : {100000, 107002, 507899, 507911, 1, -7}) {
    EXPECT_EQ(svmrt::code_number(driver_code_of_acl(number)), number);
  }
  EXPECT_EQ(driver_code_of_acl(507899), DriverCode::kAclDriverError);
}

// The ACL runtime's numbers start at 100000, above all of the driver's.
TEST(AclCode, NoTwoNumbersBecomeOneCode) {
  std::set<DriverCode> codes;
  for (std::int32_t number = 100000; number < 600000; ++number) codes.insert(driver_code_of_acl(number));
  EXPECT_EQ(codes.size(), 500000u);
}

}  // namespace
}  // namespace svmsim
