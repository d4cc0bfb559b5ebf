// SPDX-License-Identifier: Apache-2.0
// Runs a conformance script on a driver and says, case by case, where the driver answers otherwise. Thread-bound to
// the port.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/conformance/script.h"

namespace svmsim {

enum class CaseVerdict : std::uint8_t { kAgrees, kDeviates, kNotApplicable };

struct CaseOutcome {
  std::string rule;
  std::string name;
  CaseVerdict verdict = CaseVerdict::kAgrees;
  std::size_t step = 0;  // from 1, where the case ended; 0 when it ran to its end or never started
  std::string call;      // that step as written: "halHostRegister(a+4K, 8K)"
  std::string expected;  // of a deviation what the rule says, else what the case needs
  std::string seen;

  // One line: "R6 NAME: step 3, halHostRegister(a, 4K): expected code 8, seen code 0".
  [[nodiscard]] std::string message() const;
};

// One outcome per case, in order. A case ends at its first deviation, and a call that is not answered
// (HalPort::failure) is one. Each case starts with port.begin_case(). A case does not apply when a need is not met,
// when the library lacks a symbol it calls, or when memory lies elsewhere than a `given`.
[[nodiscard]] std::vector<CaseOutcome> run_script(const ConformanceScript& script, HalPort& port);

}  // namespace svmsim
