// SPDX-License-Identifier: Apache-2.0
// Choices drawn from rapidcheck's random source. Value type, thread-compatible.
#pragma once

#include <rapidcheck.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace svmsim {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t index) : random_(rc::Random::Key{seed, index, 0, 0}) {}

  // 0 to n - 1; n is above 0. Small n: the remainder favours no value measurably.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) {
    if (n == 0) std::abort();
    return random_.next() % n;
  }
  [[nodiscard]] bool one_in(std::uint64_t n) { return below(n) == 0; }
  [[nodiscard]] bool percent(std::uint64_t chance) { return below(100) < chance; }

  template <typename T>
  [[nodiscard]] T pick(std::span<const T> values) {
    return values[below(values.size())];
  }
  template <typename T, std::size_t N>
  [[nodiscard]] T pick(const std::array<T, N>& values) {
    return values[below(N)];
  }
  // An index, as often as its weight says. The sum is above 0.
  [[nodiscard]] std::size_t weighted(std::span<const std::uint32_t> weights) {
    std::uint64_t sum = 0;
    for (const std::uint32_t weight : weights) sum += weight;
    std::uint64_t ticket = below(sum);
    std::size_t index = 0;
    while (ticket >= weights[index]) ticket -= weights[index++];
    return index;
  }

 private:
  rc::Random random_;
};

}  // namespace svmsim
