// SPDX-License-Identifier: Apache-2.0
// Changes scenario bytes (scenario_bytes.h) as a person would who looks for a bug: by whole operations. Deterministic:
// the same bytes and seed give the same. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace svmsim {

// A neighbour of `bytes` of at most `most` bytes, which hold one record at least: operations were inserted, deleted,
// swapped, repeated, or one field or the setting was changed; now and then several of that.
[[nodiscard]] std::vector<std::uint8_t> mutated(std::span<const std::uint8_t> bytes, std::size_t most,
                                                std::uint64_t seed);
// The setting and the first operations of `one`, and then the last ones of `other`.
[[nodiscard]] std::vector<std::uint8_t> spliced(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other,
                                                std::size_t most, std::uint64_t seed);

}  // namespace svmsim
