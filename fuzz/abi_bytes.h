// SPDX-License-Identifier: Apache-2.0
// Calls of the drop-in libraries as bytes. A record of 12 bytes for the setting (platform, backing, threads), then one
// per call: function, thread, and up to five arguments of two bytes each. Any bytes are an input, and a record that is
// moved or repeated leaves the others what they were. Value types and pure functions, thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/backing.h"
#include "sim/dropin/symbols.h"

namespace svmsim {

// Every function that a library exports, by its name, in the order of symbols.h.
#define SVMSIM_ENUMERATOR(NAME) NAME,
enum class AbiFunction : std::uint8_t {
  SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_ENUMERATOR) SVMSIM_ASCENDCL_SYMBOLS(SVMSIM_ENUMERATOR)
      SVMSIM_DRVDSMI_HOST_SYMBOLS(SVMSIM_ENUMERATOR)
};
#undef SVMSIM_ENUMERATOR
#define SVMSIM_NAME(NAME) #NAME,
inline constexpr std::string_view kAbiFunctionNames[] = {SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_NAME) SVMSIM_ASCENDCL_SYMBOLS(
    SVMSIM_NAME) SVMSIM_DRVDSMI_HOST_SYMBOLS(SVMSIM_NAME)};
#undef SVMSIM_NAME
inline constexpr std::size_t kAbiFunctions = std::size(kAbiFunctionNames);
[[nodiscard]] constexpr std::string_view name_of(AbiFunction function) {
  return kAbiFunctionNames[static_cast<std::size_t>(function)];
}

enum class AbiThreads : std::uint8_t { kOne, kTwoByTurns, kTwoAtOnce };

inline constexpr std::size_t kMostArguments = 5;
inline constexpr std::size_t kAbiRecordBytes = 2 + 2 * kMostArguments;
inline constexpr std::size_t kMostAbiCalls = 32;
inline constexpr std::size_t kMostAbiBytes = kAbiRecordBytes * (1 + kMostAbiCalls);

// What an argument is drawn from: which kind of value, and which of that kind. Two zeros are the most ordinary one.
struct ArgumentBytes {
  std::uint8_t kind = 0;
  std::uint8_t which = 0;
};

struct AbiCall {
  AbiFunction function = AbiFunction{};
  bool second_thread = false;  // with two threads: which makes the call
  std::array<ArgumentBytes, kMostArguments> arguments{};
};

struct AbiInput {
  std::uint8_t platform = 0;  // any number; the remainder counts
  BackingKind backing = BackingKind::kMmu;
  AbiThreads threads = AbiThreads::kOne;
  std::vector<AbiCall> calls;  // at most kMostAbiCalls
};

[[nodiscard]] AbiInput abi_input(std::span<const std::uint8_t> bytes);
// The other way round: abi_input() of it is `input`.
[[nodiscard]] std::vector<std::uint8_t> abi_bytes(const AbiInput& input);

// A neighbour of `bytes` of at most `most` bytes, which hold one record at least: calls were inserted, deleted,
// swapped, repeated, or an argument or the setting was changed. Deterministic.
[[nodiscard]] std::vector<std::uint8_t> mutated_abi(std::span<const std::uint8_t> bytes, std::size_t most,
                                                    std::uint64_t seed);
// The setting and the first calls of `one`, and then the last ones of `other`.
[[nodiscard]] std::vector<std::uint8_t> spliced_abi(std::span<const std::uint8_t> one,
                                                    std::span<const std::uint8_t> other, std::size_t most,
                                                    std::uint64_t seed);

}  // namespace svmsim
