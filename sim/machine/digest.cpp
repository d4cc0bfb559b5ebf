// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/digest.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace svmsim {

void Digest::add_bytes(std::span<const std::byte> bytes) {
  // Four lanes, because one chain of multiplications would run at a quarter of the memory's speed.
  constexpr std::array<std::uint64_t, 4> kMultipliers = {0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u, 0xd6e8feb86659fd93u,
                                                         0xa0761d6478bd642fu};
  std::array<std::uint64_t, 4> lanes = {state_, state_ + 1, state_ + 2, state_ + 3};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 32; at += 32, left -= 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, at + 8 * lane, 8);
      // The rotation brings high bits down, where the next multiplication spreads them upwards again.
      lanes[lane] = std::rotl((lanes[lane] ^ word) * kMultipliers[lane], 29);
    }
  }
  for (const std::uint64_t lane : lanes) add(lane);
  while (left > 0) {
    const std::size_t take = left < 8 ? left : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, at, take);
    add(word);
    at += take;
    left -= take;
  }
  add(bytes.size());
}

void Digest::add_text(const std::string& text) { add_bytes(std::as_bytes(std::span(text.data(), text.size()))); }

std::string digest_text(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace svmsim
