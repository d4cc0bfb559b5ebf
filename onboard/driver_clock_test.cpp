// SPDX-License-Identifier: Apache-2.0
// The clock of a simulated driver is tested with the drop-in libraries (dropin_test.cpp).
#include "onboard/driver_clock.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace svmsim
