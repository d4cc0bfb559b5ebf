// SPDX-License-Identifier: Apache-2.0
// A stream of random words that depends on nothing but a seed and a name: SplitMix64 (Steele, Lea, Flood 2014), the
// same on every machine. Value type, thread-compatible.
#pragma once

#include <cstdint>
#include <string_view>

namespace svmsim {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) : state_(mixed(seed)) {
    for (const char c : name) state_ = mixed(state_ + kIncrement + static_cast<unsigned char>(c));
  }

  [[nodiscard]] std::uint64_t next() {
    state_ += kIncrement;
    return mixed(state_);
  }

 private:
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15u;
  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace svmsim
