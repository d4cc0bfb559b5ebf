// SPDX-License-Identifier: Apache-2.0
// The clock of the simulator's own driver is tested with the drop-in libraries (dropin_test.cpp).
#include "onboard/driver_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace svmsim {
namespace {

TEST(DriverClock, IsTheSystemsWhereTheDriverHasNone) {
  for (const std::string library : {SVMSIM_FAKE_BOARD_DIR "/whole_hal.so", SVMSIM_FAKE_BOARD_DIR "/absent.so"}) {
    const DriverClock found = driver_clock(library);
    EXPECT_FALSE(found.simulated) << library;
    const svmrt::Picoseconds before = found.clock();
    while (found.clock() == before) {
    }
    EXPECT_GT(found.clock(), before) << library;
  }
}

void set_time(const char* nanoseconds) { ASSERT_EQ(::setenv("FAKE_CLOCK_NS", nanoseconds, 1), 0); }

TEST(DriverClock, IsTheDriversWhereItHasOne) {
  const DriverClock found = driver_clock(SVMSIM_FAKE_BOARD_DIR "/hal_with_clock.so");
  EXPECT_TRUE(found.simulated);
  for (const char* time : {"0", "5", "5", "18446744073709551"}) {
    set_time(time);
    EXPECT_EQ(found.clock().count(), std::stoull(time) * 1000);
  }
}

TEST(DriverClockDeathTest, WhatIsNoTimeIsNamed) {
  const DriverClock found = driver_clock(SVMSIM_FAKE_BOARD_DIR "/hal_with_clock.so");
  set_time("18446744073709552");
  EXPECT_DEATH(found.clock(),
               "the simulated driver's clock says 18446744073709552 ns after 0 ns; allowed: that or more");
  set_time("7");
  EXPECT_EQ(found.clock().count(), 7000u);
  set_time("6");
  EXPECT_DEATH(found.clock(), "says 6 ns after 7 ns");
}

}  // namespace
}  // namespace svmsim
