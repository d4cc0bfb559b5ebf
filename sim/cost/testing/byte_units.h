// SPDX-License-Identifier: Apache-2.0
// Numbers of bytes that the tests of costs name. Test code only.
#pragma once

#include <cstdint>

namespace svmsim {

inline constexpr std::uint64_t kKib = 1024;
inline constexpr std::uint64_t kMib = 1024 * kKib;

}  // namespace svmsim
