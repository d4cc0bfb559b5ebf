// SPDX-License-Identifier: Apache-2.0
// Memory of this process that calls may be given, between pages that nobody may touch, so that a size that lies reaches
// nothing else. Lives as long as the process. Thread-safe.
#pragma once

#include <cstdint>

namespace svmsim {

struct AbiArena {
  static constexpr std::uint64_t kSize = std::uint64_t{128} << 10;

  std::uint64_t buffer = 0;    // kSize bytes to read and write, a multiple of 64 KiB
  std::uint64_t constant = 0;  // a page to read
  std::uint64_t closed = 0;    // a page that may not be touched
};

// Ends the process with 2 when there is no memory.
[[nodiscard]] const AbiArena& abi_arena();

// Numbers that are the address of nothing in any process.
inline constexpr std::uint64_t kWildAddresses[] = {
    1, 0xdead, 0xffff, 0x800000000000, std::uint64_t{1} << 63, ~std::uint64_t{0} - 4095, ~std::uint64_t{0}};

}  // namespace svmsim
