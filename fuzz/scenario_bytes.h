// SPDX-License-Identifier: Apache-2.0
// Scenarios as bytes, for a fuzzer: any bytes are a scenario. The first record of kRecordBytes says where it happens
// (platform, policy, reuse), each other one is an operation; what follows the last whole record is ignored. A record
// that is moved, repeated or taken out leaves the others what they were. Pure functions, thread-safe.
//
// A span is written in two bytes, one of sixteen landmarks of memory (0, a page, a huge page, 2^63, …) and a distance
// of -128 to 127 bytes from it, so that a changed byte stays near an edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "property_tests/scenario.h"

namespace svmsim {

inline constexpr std::size_t kRecordBytes = 8;
inline constexpr std::size_t kMostFuzzedOperations = 32;
inline constexpr std::size_t kMostScenarioBytes = (1 + kMostFuzzedOperations) * kRecordBytes;

// Where the bytes of a record are.
enum SettingByte : std::size_t {
  kPlatformByte,
  kPolicyByte,
  kReuseByte,
  kSlowByte,
  kBudgetBytes,          // and the next: a span
  kBudgetTimesByte = 6,  // the budget is 1 to 4 of these spans
  kPairByte = 7,         // no part of the scenario: which two ways fuzz_differential compares
};
enum OperationByte : std::size_t { kKindByte, kWhereByte, kDetailByte, kOffsetBytes, kSizeBytes = 5, kValueByte = 7 };

// Operations after kMostFuzzedOperations are left out, and unless kSlowByte is kSlow those that take a hundred times as
// long as the others: forks and races. fuzz_differential starts no process without it either. Memory is `plain`.
inline constexpr std::uint8_t kSlow = 0xff;
[[nodiscard]] Scenario scenario_from_bytes(std::span<const std::uint8_t> bytes, const ScenarioPlatforms& platforms);

// Bytes that scenario_from_bytes reads as this scenario, but for its texts; nothing when there are none, because a
// number is too far from every landmark or there are too many operations.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_from_scenario(const Scenario& scenario,
                                                                           const ScenarioPlatforms& platforms);

}  // namespace svmsim
