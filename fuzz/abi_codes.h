// SPDX-License-Identifier: Apache-2.0
// Which codes each function of the drop-in libraries may return, read off the rules (docs/deviations.md explains their
// ids) and docs/drop-in.md, not off the code. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/platform.h"

namespace svmsim {

struct AllowedCodes {
  std::string_view function;
  std::span<const std::int32_t> v2;
  std::span<const std::int32_t> v3;  // empty: v3 does not have it
};

// One entry per function that returns a code, and per function that does not, with the one number 0.
[[nodiscard]] std::span<const AllowedCodes> allowed_codes();
// Null for a function that has no entry.
[[nodiscard]] const AllowedCodes* allowed_codes_of(std::string_view function);

[[nodiscard]] bool may_return(std::string_view function, Personality personality, std::int32_t code);

}  // namespace svmsim
