// SPDX-License-Identifier: Apache-2.0
#include "fuzz/abi_arena.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace svmsim {

namespace {

constexpr std::uint64_t kUnit = std::uint64_t{64} << 10;  // the largest page of a host

AbiArena reserved_arena() {
  // Closed, buffer, closed, constant, closed, and what the alignment may cut off.
  constexpr std::uint64_t kWhole = AbiArena::kSize + 5 * kUnit;
  void* const whole = mmap(nullptr, kWhole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const std::uint64_t first = (reinterpret_cast<std::uint64_t>(whole) + kUnit - 1) / kUnit * kUnit;
  const AbiArena arena{first + kUnit, first + 2 * kUnit + AbiArena::kSize, first};
  if (whole == MAP_FAILED ||
      mprotect(reinterpret_cast<void*>(arena.buffer), AbiArena::kSize, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(reinterpret_cast<void*>(arena.constant), kUnit, PROT_READ) != 0) {
    std::perror("fuzz_abi: memory that calls are given");
    std::exit(2);
  }
  return arena;
}

}  // namespace

const AbiArena& abi_arena() {
  static const AbiArena arena = reserved_arena();
  return arena;
}

}  // namespace svmsim
