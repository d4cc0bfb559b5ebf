// SPDX-License-Identifier: Apache-2.0
// A conformance script: cases of driver calls and what each must answer, as data (fixtures/conformance/*.toml). Every
// expectation comes from the public driver source that `source` names. Value types, thread-compatible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/config/toml_reader.h"
#include "sim/conformance/hal_port.h"
#include "sim/conformance/terms.h"

namespace svmsim {

// Variables that every case starts with: address 0, HalPort::host_memory() and HalSurroundings::first_block.
inline constexpr std::string_view kNullVariable = "null";
inline constexpr std::string_view kHostVariable = "host";
inline constexpr std::string_view kFirstBlockVariable = "first_block";

// Each step is one call. `code` is the drvError that must come back; `as` (or none) names the result for later steps.
struct AllocStep {
  Amount size;
  FlagWord flag;
  bool null_result = false;
  std::int32_t code = 0;
  std::string as;
  std::optional<Amount> address;  // the address must be this
  std::optional<Amount> differs;  // the address must not be this
  // Where the driver chooses another address than this, or no multiple of that, the case does not apply.
  std::optional<Amount> given;
  std::optional<Amount> given_multiple_of;
};
struct FreeStep {
  Amount address;
  std::int32_t code = 0;
};
// R1: with a code other than 0 the destination must stay untouched.
struct RegisterStep {
  Amount source;
  Amount size;
  FlagWord flag;
  std::uint32_t device_id = 0;
  bool null_destination = false;
  std::int32_t code = 0;
  std::string as;
  std::optional<Amount> host;     // the returned address must be this
  std::optional<Amount> differs;  // the returned address must not be this
};
struct UnregisterStep {
  Amount source;
  std::uint32_t device_id = 0;
  std::int32_t code = 0;
};
struct UnregisterExStep {
  Amount source;
  std::uint32_t device_id = 0;
  FlagWord flag;
  std::int32_t code = 0;
};
struct FeatureStep {
  std::uint32_t device_id = 0;
  std::int32_t type = 0;
  bool value = false;
};
struct DevPointerStep {
  Amount host;
  std::uint32_t device_id = 0;
  std::int32_t code = 0;
  std::optional<Amount> address;  // the returned address must be this
};
struct MemCtlStep {
  std::int32_t type = 0;
  std::uint64_t mask = 0;
  std::uint32_t device_id = 0;
  bool null_in = false;
  bool null_out = false;
  std::int32_t code = 0;
  std::optional<std::uint64_t> mask_out;
};
// Whether the library has a symbol at all.
struct LookUpStep {
  HalSymbol symbol = HalSymbol::kMemAlloc;
  bool value = false;
};
// HalPort::reopen_device().
struct ReopenStep {};

using Step = std::variant<AllocStep, FreeStep, RegisterStep, UnregisterStep, UnregisterExStep, FeatureStep,
                          DevPointerStep, MemCtlStep, LookUpStep, ReopenStep>;

struct ConformanceCase {
  std::string rule;  // "R6", "F2a"
  std::string name;  // condition and outcome; no two cases of a script share rule and name
  std::vector<Step> steps;
};

// What a script needs of its surroundings; an absent one may be anything.
struct ScriptNeeds {
  std::optional<std::uint64_t> host_page;
  std::optional<std::uint64_t> device_page;
  std::optional<HostKind> host;
  std::optional<bool> giant_page;
  std::optional<bool> fragmented;
};

struct ConformanceScript {
  std::string name;
  std::string description;
  std::string source;
  Personality personality = Personality::kV2;
  ScriptNeeds needs;
  std::vector<ConformanceCase> cases;
};

// fixtures/conformance/README.md documents the keys. The error names file, line, key, value and what is allowed; a
// variable that no earlier step of the case names is one.
[[nodiscard]] ConfigResult<ConformanceScript> load_conformance_script(const std::string& path);
[[nodiscard]] ConfigResult<ConformanceScript> parse_conformance_script(std::string_view text, std::string file);

}  // namespace svmsim
