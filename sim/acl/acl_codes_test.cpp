// SPDX-License-Identifier: Apache-2.0
#include "sim/acl/acl_codes.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

using svmrt::DriverCode;

// The whole table of the public runtime, then codes that it does not name.
TEST(AclCodeTable, EachDriverCodeBecomesTheAclCodeOfItsRow) {
  struct Row {
    std::int32_t driver;
    std::int32_t acl;
  };
  const Row rows[] = {
      {0, 0},       {1, 207004},  {2, 107001},  {3, 107000},     {4, 107017},  {6, 207001},  {14, 207005},
      {16, 507012}, {37, 207012}, {46, 207006}, {65534, 207000}, {8, 507899},  {11, 507899}, {12, 507899},
      {13, 507899}, {17, 507899}, {38, 507899}, {42, 507899},    {51, 507899}, {7, 507899},  {9, 507899},
      {10, 507899}, {23, 507899}, {62, 507899}, {12345, 507899},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(code_number(acl_code(static_cast<DriverCode>(row.driver))), row.acl) << "driver code " << row.driver;
  }
}

}  // namespace
}  // namespace svmsim
