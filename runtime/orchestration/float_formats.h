// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary16 and bfloat16 to float, exactly, and back, rounded to the nearest, ties to even. What is too large
// becomes an infinity, every NaN the quiet one. Pure functions, thread-safe.
#pragma once

#include <bit>
#include <cstdint>

namespace svmrt {

constexpr float float_from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

constexpr std::uint16_t bfloat16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fff'ffffU) > 0x7f80'0000U) return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | 0x7fc0U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

constexpr float float_from_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude < 0x0400U) {  // zero or subnormal: a multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  const std::uint32_t rebias = magnitude < 0x7c00U ? (127U - 15U) << 23 : (255U - 31U) << 23;
  return std::bit_cast<float>(((magnitude << 13) + rebias) | sign);
}

constexpr std::uint16_t float16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fff'ffffU;
  constexpr std::uint32_t kSmallestNormal = (127U - 14U) << 23;  // 2^-14
  constexpr std::uint32_t kPastLargest = (127U + 16U) << 23;     // 2^16
  std::uint32_t rounded = 0;
  if (magnitude > 0x7f80'0000U) {
    rounded = 0x7e00U;
  } else if (magnitude >= kPastLargest) {
    rounded = 0x7c00U;
  } else if (magnitude < kSmallestNormal) {
    // The unit in the last place of 0.5 is 2^-24, that of the subnormals: the addition rounds.
    rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  } else {
    rounded = ((magnitude + 0xfffU + (magnitude >> 13 & 1U)) >> 13) - ((127U - 15U) << 10);
  }
  return static_cast<std::uint16_t>(rounded | sign);
}

}  // namespace svmrt
