// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "sim/conformance/in_process_port.h"
#include "sim/driver/recording_backing.h"

namespace svmsim {
namespace {

// Rules that no sequence of driver calls shows.
struct UnscriptedRule {
  std::string_view rule;
  std::string_view reason;
};
constexpr UnscriptedRule kUnscriptedRules[] = {
    {"P4", "it belongs to the ACL runtime above the driver"},
    {"R11", "it needs a call in a forked child"},
    {"R12", "it is about the cost of an access, not about an answer"},
    {"F4", "it needs an access that faults"},
};

void count(CaseCounts& counts, CaseVerdict verdict) {
  if (verdict == CaseVerdict::kAgrees) ++counts.agrees;
  if (verdict == CaseVerdict::kDeviates) ++counts.deviates;
  if (verdict == CaseVerdict::kNotApplicable) ++counts.not_applicable;
}

// P, R, U, F, then by number: R2 before R10, F2 before F2a.
std::tuple<std::size_t, int, std::string> order_of(const std::string& rule) {
  int number = 0;
  const auto end = std::from_chars(rule.data() + 1, rule.data() + rule.size(), number).ptr;
  return {std::string_view("PRUF").find(rule.front()), number, std::string(end, rule.data() + rule.size())};
}

}  // namespace

CaseVerdict RuleReport::verdict() const {
  if (cases.deviates > 0) return CaseVerdict::kDeviates;
  return cases.agrees > 0 ? CaseVerdict::kAgrees : CaseVerdict::kNotApplicable;
}

std::size_t ConformanceReport::agreeing_permille() const {
  return cases.agrees == 0 ? 0 : cases.agrees * 1000 / (cases.agrees + cases.deviates);
}

ConformanceReport run_scripts(const std::vector<ConformanceScript>& scripts, HalPort& port) {
  ConformanceReport report;
  std::map<std::string, RuleReport> rules;
  for (const UnscriptedRule& one : kUnscriptedRules) rules[std::string(one.rule)].reason = one.reason;
  report.scripts.reserve(scripts.size());
  for (const ConformanceScript& script : scripts) {
    ScriptReport& one = report.scripts.emplace_back(ScriptReport{script.name, run_script(script, port)});
    for (const CaseOutcome& outcome : one.cases) {
      RuleReport& rule = rules[outcome.rule];
      count(rule.cases, outcome.verdict);
      count(report.cases, outcome.verdict);
      // Of several reasons the one that is nearest to an answer: a case that began.
      const bool begun = outcome.step > 0;
      if (rule.reason.empty() || begun) {
        rule.reason = fmt::format("needs {}, there is {}", outcome.expected, outcome.seen);
      }
    }
  }
  for (auto& [name, rule] : rules) {
    rule.rule = name;
    if (rule.verdict() != CaseVerdict::kNotApplicable) rule.reason.clear();
    report.rules.push_back(std::move(rule));
  }
  std::sort(report.rules.begin(), report.rules.end(),
            [](const RuleReport& a, const RuleReport& b) { return order_of(a.rule) < order_of(b.rule); });
  return report;
}

ConformanceReport run_scripts_in_process(const std::vector<ConformanceScript>& scripts, const Platform& platform,
                                         const AddressLayout& layout, const HalSurroundings& surroundings) {
  RecordingBacking backing(view_offset(platform));
  InProcessPort port(platform, layout, backing, surroundings);
  return run_scripts(scripts, port);
}

std::string_view verdict_name(CaseVerdict verdict) {
  if (verdict == CaseVerdict::kAgrees) return "agrees";
  return verdict == CaseVerdict::kDeviates ? "deviates" : "not_applicable";
}

}  // namespace svmsim
