// SPDX-License-Identifier: Apache-2.0
#include "onboard/monotonic_clock.h"

#include <gtest/gtest.h>

namespace svmsim {
namespace {

TEST(MonotonicClock, NeverGoesBackward) {
  const Clock clock = monotonic_clock();
  svmrt::Picoseconds last = clock();
  for (int i = 0; i < 10000; ++i) {
    const svmrt::Picoseconds now = clock();
    ASSERT_GE(now, last);
    last = now;
  }
}

// In picoseconds the time since boot, or since 1970, would wrap; 100 days are more than a test takes.
TEST(MonotonicClock, StartsWhenItIsMade) {
  EXPECT_LT(monotonic_clock()(), svmrt::Picoseconds(std::uint64_t{100} * 86400 * 1'000'000'000'000));
}

}  // namespace
}  // namespace svmsim
