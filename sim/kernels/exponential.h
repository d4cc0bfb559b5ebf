// SPDX-License-Identifier: Apache-2.0
// The exponential function with the same bits on every machine. Pure function, thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace svmsim {

// e^x, within 0.501 units in the last place of a normal result; an infinity above 88.73, 0 below -104, NaN for NaN.
// e^x = 2^n e^r with |r| <= ln(2) / 2: a Taylor polynomial in double, whose remainder is below 2^-56, rounded once.
inline float exponential(float x) {
  if (x != x) return x;
  if (x > 88.73F) return std::numeric_limits<float>::infinity();
  if (x < -104.0F) return 0.0F;
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const double turns = static_cast<double>(x) * kLog2E;
  const auto n = static_cast<std::int32_t>(turns + (turns < 0 ? -0.5 : 0.5));
  const double r = static_cast<double>(x) - n * kLn2;
  double sum = 1.0;
  for (int k = 13; k >= 1; --k) sum = 1.0 + sum * r / k;
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + n) << 52);
  return static_cast<float>(sum * power);
}

}  // namespace svmsim
