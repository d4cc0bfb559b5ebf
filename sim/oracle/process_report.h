// SPDX-License-Identifier: Apache-2.0
// What a program did to a simulated machine, told when it ends: its driver calls and what they cost, what the driver
// still held, which rules were broken. The same calls give the same text, whatever the process. Thread-bound to the
// lock of its machine until finish(), thread-compatible after.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/cost/calibration.h"
#include "sim/machine/call_record.h"
#include "sim/machine/machine.h"
#include "sim/oracle/call_rules.h"

namespace svmsim {

class ProcessReport final : public CallObserver {
 public:
  // Watches `machine` from its first call on, until finish() or its own end. The machine must outlive it.
  // `assumptions`: what no measurement stands behind, as platform_assumptions() says.
  ProcessReport(Machine& machine, const std::vector<Assumption>& assumptions);
  ~ProcessReport() override;

  // The program ends; once, not inside on_call. What other threads call from now on is not seen. Everything below is
  // for afterwards.
  void finish();

  // Tables: calls with their costs in microseconds, what is left, broken rules, and what is not measured.
  [[nodiscard]] std::string text() const;
  // One JSON document with a final newline; times are nanoseconds with three decimals.
  [[nodiscard]] std::string json() const;
  [[nodiscard]] const CallRules& rules() const { return rules_; }

  void on_call(const CallRecord& record) override;

 private:
  struct Calls {
    std::uint64_t count = 0;
    Picoseconds cost;
  };

  Machine& machine_;
  std::vector<std::string> not_measured_;
  CallRules rules_;
  std::map<std::pair<CallKind, std::int32_t>, Calls> calls_;  // by kind and code
  Picoseconds end_;                                           // of the call that ended last
  std::uint64_t trace_digest_ = 0;
};

}  // namespace svmsim
