// SPDX-License-Identifier: Apache-2.0
#include "cli/conformance_output.h"

#include <fmt/format.h>

#include "sim/config/printable.h"
#include "sim/config/toml_text.h"
#include "sim/output/text_table.h"

namespace svmsim {

namespace {

std::string percent_text(const ConformanceReport& report) {
  const std::size_t permille = report.agreeing_permille();
  return permille % 10 == 0 ? fmt::format("{} %", permille / 10) : fmt::format("{}.{} %", permille / 10, permille % 10);
}

std::string subject_text(const ConformanceSubject& subject) {
  const std::string who = subject.library.empty() ? "the simulated driver in process" : printable(subject.library);
  return fmt::format("{}, by the rules of platform {}", who, subject.platform);
}

void add_counts(Json& json, const CaseCounts& counts) {
  json["agrees"] = counts.agrees;
  json["deviates"] = counts.deviates;
  json["not_applicable"] = counts.not_applicable;
}

Json case_json(const std::string& script, const CaseOutcome& outcome) {
  Json json;
  json["script"] = script;
  json["rule"] = outcome.rule;
  json["name"] = outcome.name;
  json["verdict"] = verdict_name(outcome.verdict);
  json["step"] = outcome.step;
  json["call"] = outcome.call;
  json["expected"] = outcome.expected;
  json["seen"] = outcome.seen;
  return json;
}

// The cases of the scripts that apply; of the others one line each, as all of their cases have the same reason.
std::string not_applicable_text(const ConformanceReport& report) {
  std::string text;
  for (const ScriptReport& script : report.scripts) {
    for (const CaseOutcome& outcome : script.cases) {
      if (outcome.verdict != CaseVerdict::kNotApplicable) continue;
      if (outcome.step == 0) {
        text += fmt::format("  {}: needs {}, there is {}\n", script.script, outcome.expected, outcome.seen);
        break;
      }
      text += fmt::format("  {}: {}\n", script.script, printable(outcome.message()));
    }
  }
  return text;
}

}  // namespace

Json conformance_json(const ConformanceSubject& subject, const ConformanceReport& report) {
  Json document;
  document["library"] = subject.library.empty() ? Json(nullptr) : Json(subject.library);
  document["platform"] = subject.platform;
  add_counts(document, report.cases);
  document["rules"] = Json::array();
  for (const RuleReport& rule : report.rules) {
    Json json;
    json["rule"] = rule.rule;
    json["verdict"] = verdict_name(rule.verdict());
    add_counts(json["cases"], rule.cases);
    json["reason"] = rule.reason;
    document["rules"].push_back(json);
  }
  document["cases"] = Json::array();
  for (const ScriptReport& script : report.scripts) {
    for (const CaseOutcome& outcome : script.cases) document["cases"].push_back(case_json(script.script, outcome));
  }
  return document;
}

std::string conformance_text(const ConformanceSubject& subject, const ConformanceReport& report) {
  TextTable table({"rule", "agrees", "deviates", "not applicable", "verdict"});
  std::string unasked;
  for (const RuleReport& rule : report.rules) {
    std::string verdict(verdict_name(rule.verdict()));
    if (rule.verdict() == CaseVerdict::kNotApplicable) {
      verdict = "not applicable";
      unasked += fmt::format("  {}: {}\n", rule.rule, printable(rule.reason));
    }
    table.add({rule.rule, count_text(rule.cases.agrees), count_text(rule.cases.deviates),
               count_text(rule.cases.not_applicable), verdict});
  }
  std::string deviations;
  for (const ScriptReport& script : report.scripts) {
    for (const CaseOutcome& outcome : script.cases) {
      if (outcome.verdict != CaseVerdict::kDeviates) continue;
      deviations += fmt::format("  {}: {}\n", script.script, printable(outcome.message()));
    }
  }
  std::string text = subject_text(subject) + "\n\n" + table.text();
  if (!deviations.empty()) text += "\ndeviates:\n" + deviations;
  if (!unasked.empty()) text += "\nrules that do not apply:\n" + unasked;
  if (const std::string cases = not_applicable_text(report); !cases.empty()) {
    text += "\nscripts and cases that do not apply:\n" + cases;
  }
  const CaseCounts& cases = report.cases;
  return text + fmt::format("\nconformance {}: {} of {} cases agree, {} do not apply\n", percent_text(report),
                            count_text(cases.agrees), count_text(cases.agrees + cases.deviates),
                            count_text(cases.not_applicable));
}

std::string extending_platform_text(const std::string& command, const std::string& who, const std::string& name,
                                    const std::string& base, const std::vector<PlatformChange>& changes) {
  std::string text = fmt::format(
      "# Written by svmsim {} for {}.\n"
      "name = \"{}-as-seen\"\ndescription = \"{} as svmsim {} saw it\"\nextends = {}\n",
      command, who, name, name, command, toml_quoted(base));
  for (const PlatformChange& change : changes) text += fmt::format("{} = {}\n", change.key, change.value);
  return text;
}

std::string overlay_text(const ConformanceSubject& subject, const std::string& base, const Overlay& overlay) {
  std::string text =
      extending_platform_text("conformance", subject_text(subject), subject.platform, base, overlay.changes);
  if (overlay.unexplained.empty()) return text;
  text += "\n# No key says these; the simulated driver answers otherwise:\n";
  for (const UnexplainedCase& one : overlay.unexplained) {
    text += fmt::format("# {}: {}\n#   simulated: {}\n", one.script, printable(one.seen.message()),
                        printable(one.simulated.message()));
  }
  return text;
}

}  // namespace svmsim
