// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver_code.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace svmrt {
namespace {

TEST(DriverCode, NumbersAreTheDriversOwn) {
  EXPECT_EQ(code_number(DriverCode::kNone), 0);
  EXPECT_EQ(code_number(DriverCode::kInvalidValue), 3);
  EXPECT_EQ(code_number(DriverCode::kOutOfMemory), 6);
  EXPECT_EQ(code_number(DriverCode::kParaError), 8);
  EXPECT_EQ(code_number(DriverCode::kBusy), 13);
  EXPECT_EQ(code_number(DriverCode::kNotSupport), 65534);
}

TEST(DriverCode, NamesAreTheDriversOwn) {
  EXPECT_EQ(driver_code_name(DriverCode::kNone), "NONE");
  EXPECT_EQ(driver_code_name(DriverCode::kParaError), "PARA_ERROR");
  EXPECT_EQ(driver_code_name(DriverCode::kNotSupport), "NOT_SUPPORT");
  EXPECT_EQ(driver_code_name(DriverCode::kIoctlFail), "IOCRL_FAIL") << "the public header spells it so";
}

TEST(DriverCode, UndefinedNumberIsUnknown) {
  EXPECT_EQ(driver_code_name(DriverCode{5}), "UNKNOWN");
  EXPECT_EQ(driver_code_name(DriverCode{-1}), "UNKNOWN");
}

TEST(DriverCode, WhatNoDriverSaidHasNumbersThatNoneUses) {
  EXPECT_LT(code_number(DriverCode::kLibraryNotLoaded), 0);
  EXPECT_LT(code_number(DriverCode::kSymbolMissing), 0);
  EXPECT_EQ(driver_code_name(DriverCode::kLibraryNotLoaded), "LIBRARY_NOT_LOADED");
  EXPECT_EQ(driver_code_name(DriverCode::kSymbolMissing), "SYMBOL_MISSING");
  EXPECT_EQ(driver_code_name(DriverCode{507899}), "ACL_DRIVER_ERROR");
}

TEST(DriverCode, NoTwoCodesShareAName) {
  std::set<std::string> names;
  int named = 0;
  for (std::int32_t number = 0; number <= 70000; ++number) {
    const std::string name(driver_code_name(DriverCode{number}));
    if (name == "UNKNOWN") continue;
    ++named;
    names.insert(name);
  }
  EXPECT_EQ(named, 24);  // the enumerators in the header
  EXPECT_EQ(names.size(), 24u);
}

}  // namespace
}  // namespace svmrt
