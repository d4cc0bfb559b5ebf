// SPDX-License-Identifier: Apache-2.0
#include "onboard/driver_version.h"

#include <gtest/gtest.h>

#include "onboard/testing/board_fixture.h"

namespace svmsim {
namespace {

using DriverVersion = BoardFixture;

TEST_F(DriverVersion, IsNothingWithoutTheLibraryOrItsFunction) {
  EXPECT_EQ(driver_version(library("absent"), 0), std::nullopt);
  EXPECT_EQ(driver_version(library("whole_hal"), 0), std::nullopt);
}

}  // namespace
}  // namespace svmsim
