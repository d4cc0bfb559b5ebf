// SPDX-License-Identifier: Apache-2.0
// A broken rule, as the oracle and the rules over calls report it. Value type.
#pragma once

#include <cstdint>
#include <string>

namespace svmsim {

struct Violation {
  std::string rule;         // "I2", "I3", …
  std::int64_t round = -1;  // from 0; -1: outside every round (set-up or finalize)
  std::string allocation;   // the allocation's name, or its address relative to the slice
  std::string message;
  std::int64_t call = -1;  // number of the driver call that broke it; -1: none, or the oracle, which goes by round
};

}  // namespace svmsim
