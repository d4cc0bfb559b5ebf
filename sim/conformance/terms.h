// SPDX-License-Identifier: Apache-2.0
// What stands for a number in a conformance script: "a+2M-1" for an address, "36M+1" for a size, "huge|CONTIGUOUS" for
// a flag word. Value types, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svmsim {

// A variable (or none) plus an offset; offsets wrap as pointers of C do.
struct Amount {
  std::string text;      // as written
  std::string variable;  // empty: a plain number
  std::uint64_t offset = 0;
};

// Terms joined by '+' and '-': numbers, decimal with an optional suffix K, M, G or T (powers of 1024), or hexadecimal
// ("0x1000"), up to 2^64 - 1; the first term may be a variable. Null for anything else.
[[nodiscard]] std::optional<Amount> parse_amount(std::string_view text);
// Lower-case letters, digits and '_', starting with a letter.
[[nodiscard]] bool is_variable_name(std::string_view text);

struct FlagWord {
  std::string text;
  std::uint64_t value = 0;
};

// Words and numbers joined by '|'. Null for an unknown word. `alloc_flag_words` and `register_flag_words` list the
// words, for messages.
[[nodiscard]] std::optional<FlagWord> parse_alloc_flag(std::string_view text);     // of halMemAlloc
[[nodiscard]] std::optional<FlagWord> parse_register_flag(std::string_view text);  // 32 bits, of halHostRegister
[[nodiscard]] std::string alloc_flag_words();
[[nodiscard]] std::string register_flag_words();

}  // namespace svmsim
