// SPDX-License-Identifier: Apache-2.0
// Every conformance script on one driver, and what comes of it rule by rule. Value types, thread-compatible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/conformance/runner.h"
#include "sim/conformance/script.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

struct ScriptReport {
  std::string script;
  std::vector<CaseOutcome> cases;
};

struct CaseCounts {
  std::size_t agrees = 0;
  std::size_t deviates = 0;
  std::size_t not_applicable = 0;
};

struct RuleReport {
  std::string rule;
  CaseCounts cases;
  std::string reason;  // why none of its cases applies; empty when one does

  // A rule deviates with its first case that does, and agrees when every case that applies does.
  [[nodiscard]] CaseVerdict verdict() const;
};

struct ConformanceReport {
  std::vector<ScriptReport> scripts;  // in the order of the scripts
  std::vector<RuleReport> rules;      // every rule of the driver: P, R, U, F, each by number
  CaseCounts cases;

  // Every case that applies agrees, and there is one.
  [[nodiscard]] bool agrees() const { return cases.deviates == 0 && cases.agrees > 0; }
  // Of the cases that apply, in tenths of a per cent rounded down, so that 1000 means all; 0 when none applies.
  [[nodiscard]] std::size_t agreeing_permille() const;
};

[[nodiscard]] ConformanceReport run_scripts(const std::vector<ConformanceScript>& scripts, HalPort& port);
// On the simulated driver of a platform, in this process, passed off as a driver in these surroundings.
[[nodiscard]] ConformanceReport run_scripts_in_process(const std::vector<ConformanceScript>& scripts,
                                                       const Platform& platform, const AddressLayout& layout,
                                                       const HalSurroundings& surroundings);

// The name of a verdict in documents: "agrees", "deviates", "not_applicable".
[[nodiscard]] std::string_view verdict_name(CaseVerdict verdict);

}  // namespace svmsim
