// SPDX-License-Identifier: Apache-2.0
// A broken rule, as the oracle reports it. Value type.
#pragma once

#include <cstdint>
#include <string>

namespace svmsim {

struct Violation {
  std::string rule;         // "I2", "I3", …
  std::int64_t round = -1;  // from 0; -1: outside every round (set-up or finalize)
  std::string allocation;   // the allocation's name, or its address relative to the slice
  std::string message;
};

}  // namespace svmsim
