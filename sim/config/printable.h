// SPDX-License-Identifier: Apache-2.0
// Makes any text safe to print on one line of a terminal. Pure function, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace svmsim {

// Control characters, line ends among them, become \xNN; everything else stays.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace svmsim
