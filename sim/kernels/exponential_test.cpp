// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace svmsim {
namespace {

// The distance of the result from e^x in units in the last place of a float there.
long double error_in_units(float x) {
  const long double exact = std::exp(static_cast<long double>(x));
  int exponent = 0;
  std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return std::fabs(static_cast<long double>(exponential(x)) - exact) / unit;
}

TEST(Exponential, IsWithinItsErrorOverTheWholeRange) {
  for (int i = -103 * 512; i <= 88 * 512; ++i) {
    const float x = static_cast<float>(i) / 512.0F;
    ASSERT_LE(error_in_units(x), 0.501L) << x;
  }
  for (float x = 1e-30F; x < 1; x *= 1.37F) {
    ASSERT_LE(error_in_units(x), 0.501L) << x;
    ASSERT_LE(error_in_units(-x), 0.501L) << -x;
  }
}

TEST(Exponential, EndsOfTheRange) {
  EXPECT_EQ(exponential(0.0F), 1.0F);
  EXPECT_EQ(exponential(-0.0F), 1.0F);
  EXPECT_EQ(exponential(1.0F), 2.71828182845904523536F);
  EXPECT_TRUE(std::isfinite(exponential(88.72F)));
  EXPECT_EQ(exponential(88.74F), std::numeric_limits<float>::infinity());
  EXPECT_EQ(exponential(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_EQ(exponential(-103.0F), std::numeric_limits<float>::denorm_min());  // e^-103 is 1.32 * 2^-149
  EXPECT_EQ(exponential(-104.5F), 0.0F);
  EXPECT_EQ(exponential(-std::numeric_limits<float>::infinity()), 0.0F);
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace svmsim
