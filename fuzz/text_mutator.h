// SPDX-License-Identifier: Apache-2.0
// Changes inputs of fuzz_input as a person would who looks for a bug: by lines, values and characters that a parser
// stumbles over. Deterministic: the same text and seed give the same. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svmsim {

// The shipped files (fixtures/) of every format as inputs, in order of format and name: where an empty input begins,
// and whose lines are put into others.
[[nodiscard]] const std::vector<std::string>& shipped_inputs();

// A neighbour of `input`: lines were inserted, deleted, swapped, repeated, a value or a few characters replaced; now
// and then several of that. Of an empty input, one of shipped_inputs().
[[nodiscard]] std::string mutated_text(std::string_view input, std::uint64_t seed);
// The first lines of `one` and the last ones of `other`.
[[nodiscard]] std::string spliced_text(std::string_view one, std::string_view other, std::uint64_t seed);

}  // namespace svmsim
