// SPDX-License-Identifier: Apache-2.0
// Scenarios as TOML: what a failure is written to, and fixtures/bugs/ holds.
//
//   name = "free-in-use"                     # optional, as are description, source and fault
//   platform = "a2a3"                        # looked up when the scenario is run
//   policy = "budget:65536"                  # as in svmrt::policy_name
//   reuse = "driver"                         # or "lifo", "quarantine"; this is the default
//   backing = "plain"                        # or "mmu"; this is the default
//   operation = [                            # or [[operation]] tables
//     { do = "allocate", slot = 0, size = 4096, run = "runner" },
//     { do = "claim", run = 0, slot = 0, offset = 0, size = 4096, region = "child_memory" },
//   ]
//
// An operation has exactly the keys of fields_of() its kind: slot 0 to 5; run and other 0 to 2, and run = "runner" for
// allocate and free; call a driver call by its name, code its result from 1; offset, size and value are 64-bit numbers
// without a sign, of which those from 2^63 on are written as the negative number with the same bits, since TOML has no
// larger ones: offset = -8 is eight bytes before the block. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "property_tests/scenario.h"
#include "sim/config/toml_reader.h"

namespace svmsim {

// A longer scenario is refused. A file ends at kMaxConfigBytes, which are some 25,000 operations.
inline constexpr std::size_t kMaxScenarioOperations = kMaxConfigTables;

[[nodiscard]] ConfigResult<Scenario> load_scenario(const std::string& path);
// The same from memory; `file` is the name that errors carry.
[[nodiscard]] ConfigResult<Scenario> parse_scenario(std::string_view text, std::string file);

// Text that parse_scenario reads back to an equal scenario, one operation a line. Precondition: a scenario that a file
// may hold (fields in their ranges, those that an operation does not use at their defaults, texts in UTF-8).
[[nodiscard]] std::string scenario_text(const Scenario& scenario);

}  // namespace svmsim
