// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/float_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace svmrt {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of `bits` by the definition of the format.
float defined_value(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = std::ldexp(static_cast<int>(bits) & ((1 << fraction_bits) - 1), -fraction_bits);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? static_cast<float>(sign) * kInfinity : std::nanf("");
  return static_cast<float>(
      sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias)));
}

TEST(FloatFormats, EveryPatternHasItsValueAndComesBack) {
  for (std::uint32_t pattern = 0; pattern < 0x1'0000U; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float half = float_from_float16(bits);
    const float brain = float_from_bfloat16(bits);
    const float expected_half = defined_value(pattern, 5, 10);
    const float expected_brain = defined_value(pattern, 8, 7);
    if (std::isnan(expected_half)) {
      ASSERT_TRUE(std::isnan(half)) << pattern;
      ASSERT_EQ(float16_from_float(half), (pattern & 0x8000U) | 0x7e00U);
    } else {
      ASSERT_EQ(half, expected_half) << pattern;
      ASSERT_EQ(std::signbit(half), (pattern & 0x8000U) != 0);
      ASSERT_EQ(float16_from_float(half), bits);
    }
    if (std::isnan(expected_brain)) {
      ASSERT_TRUE(std::isnan(brain)) << pattern;
      ASSERT_EQ(bfloat16_from_float(brain), (pattern & 0x8000U) | 0x7fc0U);
    } else {
      ASSERT_EQ(brain, expected_brain) << pattern;
      ASSERT_EQ(bfloat16_from_float(brain), bits);
    }
  }
}

// Between each value and the next: just below the middle, the middle itself, just above it.
template <typename From, typename To>
void expect_nearest(std::uint16_t past_largest, From from, To to) {
  for (std::uint16_t bits = 0; bits < past_largest - 1; ++bits) {
    const float low = from(bits);
    const float high = from(static_cast<std::uint16_t>(bits + 1));
    const float middle = static_cast<float>((static_cast<double>(low) + static_cast<double>(high)) / 2);
    ASSERT_EQ(to(std::nextafterf(middle, 0.0F)), bits);
    ASSERT_EQ(to(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(to(std::nextafterf(middle, kInfinity)), bits + 1);
    ASSERT_EQ(to(-middle), (bits % 2 == 0 ? bits : bits + 1) | 0x8000);
  }
}

TEST(FloatFormats, RoundToTheNearestTiesToEven) {
  expect_nearest(0x7c00, float_from_float16, float16_from_float);
  expect_nearest(0x7f80, float_from_bfloat16, bfloat16_from_float);
}

TEST(FloatFormats, TooLargeIsInfinite) {
  EXPECT_EQ(float16_from_float(65519.996F), 0x7bff);
  EXPECT_EQ(float16_from_float(65520.0F), 0x7c00);
  EXPECT_EQ(float16_from_float(-1e30F), 0xfc00);
  EXPECT_EQ(float16_from_float(kInfinity), 0x7c00);
  EXPECT_EQ(bfloat16_from_float(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float16_from_float(1e-30F), 0x0000);
  EXPECT_EQ(float16_from_float(-1e-30F), 0x8000);
}

}  // namespace
}  // namespace svmrt
