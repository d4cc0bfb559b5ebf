// SPDX-License-Identifier: Apache-2.0
// A 64-bit digest of a byte or word stream, for traces, results and simulated kernels. Not cryptographic; the same
// on every little-endian machine. Each step is invertible in the word it takes in, so that a change of one word
// always changes the state. Thread-compatible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace svmsim {

// Spreads every bit of `x` over the word (the finaliser of SplitMix64; a bijection).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Digest {
 public:
  constexpr Digest() = default;
  constexpr explicit Digest(std::uint64_t seed) : state_(mix64(seed ^ kIncrement)) {}

  constexpr void add(std::uint64_t word) { state_ = mix64(state_ ^ word) + kIncrement; }
  // Adds the bytes and their number; two adds differ from one of the joined bytes.
  void add_bytes(std::span<const std::byte> bytes);
  void add_text(const std::string& text);

  [[nodiscard]] constexpr std::uint64_t value() const { return mix64(state_); }

 private:
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15u;
  std::uint64_t state_ = kIncrement;
};

// Sixteen lower-case hex digits.
[[nodiscard]] std::string digest_text(std::uint64_t value);

}  // namespace svmsim
