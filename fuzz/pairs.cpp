// SPDX-License-Identifier: Apache-2.0
#include "fuzz/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fuzz/driver_rules.h"
#include "fuzz/machine_side.h"
#include "property_tests/harness.h"
#include "sim/oracle/process_report.h"

namespace svmsim {

namespace {

struct Life {
  std::string name;
  std::vector<StepReport> steps;
  ScenarioResult result;
};

Life live(const NamedScenario& named, const ScenarioPlatforms& platforms) {
  Life life{named.name, {}, {}};
  life.result = run_scenario(named.scenario, platforms, [&](const StepReport& step) { life.steps.push_back(step); });
  return life;
}

std::string complaint(const ScenarioResult& result) {
  if (!result.failure) return result.error;
  return fmt::format("{} at operation {}: {}", result.failure->property, result.failure->operation,
                     result.failure->message);
}

std::string record_text(const CallRecord& call) {
  return fmt::format("{} of {} bytes, code {}, {} ps from {} ps", call_kind_name(call.kind), call.size.count(),
                     code_number(call.code), call.cost.count(), call.begin.count());
}

// Addresses differ by where the machines lie.
Snapshot relative(const StepReport& step) {
  Snapshot snapshot = step.after;
  for (std::vector<Snapshot::Block>* const blocks : {&snapshot.mapped, &snapshot.quarantined}) {
    for (Snapshot::Block& block : *blocks) block.base = DeviceAddr((block.base - step.slice_base).count());
  }
  return snapshot;
}

std::string step_difference(const StepReport& one, const std::string& name, const StepReport& other,
                            const std::string& other_name) {
  if (one.outcome != other.outcome) {
    return fmt::format("{} answered {}, {} {}", name, outcome_text(one.outcome), other_name,
                       outcome_text(other.outcome));
  }
  if (one.calls.size() != other.calls.size()) {
    return fmt::format("{} made {} driver calls, {} {}", name, one.calls.size(), other_name, other.calls.size());
  }
  if (one.arrived_mapped != other.arrived_mapped) {
    return fmt::format("the block arrived mapped with {} only", one.arrived_mapped ? name : other_name);
  }
  for (std::size_t i = 0; i < one.calls.size(); ++i) {
    const CallRecord& here = one.calls[i];
    const CallRecord& there = other.calls[i];
    if (here.kind == there.kind && here.code == there.code && here.size == there.size && here.begin == there.begin &&
        here.cost == there.cost) {
      continue;
    }
    return fmt::format("driver call {}: {} of {}, {} of {}", i, record_text(here), name, record_text(there),
                       other_name);
  }
  const Difference seen = difference(relative(one), relative(other));
  return seen.property.empty() ? "" : fmt::format("{} against {}: {}", name, other_name, seen.message);
}

}  // namespace

std::string compare_runs(const NamedScenario& one, const NamedScenario& other, const ScenarioPlatforms& platforms) {
  const Life here = live(one, platforms);
  const Life there = live(other, platforms);
  for (std::size_t i = 0; i < std::min(here.steps.size(), there.steps.size()); ++i) {
    const std::string found = step_difference(here.steps[i], here.name, there.steps[i], there.name);
    if (found.empty()) continue;
    return fmt::format("operation {}, {}: {}", i, operation_text(here.steps[i].operation), found);
  }
  const std::string wrong = complaint(here.result);
  const std::string wrong_too = complaint(there.result);
  if (wrong != wrong_too) return fmt::format("{} ends with '{}', {} with '{}'", one.name, wrong, other.name, wrong_too);
  if (!wrong.empty()) return fmt::format("both: {}", wrong);
  if (here.result.digest == there.result.digest) return "";
  return fmt::format("{} and {} have different digests", one.name, other.name);
}

std::string compare_backings(const Scenario& scenario, const ScenarioPlatforms& platforms) {
  Scenario mmu = scenario;
  std::erase_if(mmu.operations, [](const Operation& operation) { return operation.kind == OperationKind::kRace; });
  Scenario plain = mmu;
  mmu.backing = BackingKind::kMmu;
  plain.backing = BackingKind::kPlain;
  return compare_runs({"mmu", mmu}, {"plain", plain}, platforms);
}

std::string compare_sides(const Scenario& scenario, DriverSide& one, const std::string& name, DriverSide& other,
                          const std::string& other_name) {
  CallReader reader(true);
  for (std::size_t i = 0; i < scenario.operations.size(); ++i) {
    for (const DriverCall& call : reader.read(scenario.operations[i])) {
      const DriverAnswer answer = one.answer(call);
      const DriverAnswer other_answer = other.answer(call);
      for (const auto& [side, side_name] : {std::pair(&one, &name), std::pair(&other, &other_name)}) {
        const std::string wrong = side->complaint();
        if (!wrong.empty()) return fmt::format("operation {}, {}: {}: {}", i, call_text(call), *side_name, wrong);
      }
      if (answer != other_answer) {
        return fmt::format("operation {}, {}: {} answered {}, {} {}", i, call_text(call), name, answer_text(answer),
                           other_name, answer_text(other_answer));
      }
      const DriverState state = one.state();
      const DriverState other_state = other.state();
      if (state != other_state) {
        return fmt::format("operation {}, {}: {} holds {}, {} {}", i, call_text(call), name, state_text(state),
                           other_name, state_text(other_state));
      }
      reader.note(call, answer.code);
    }
  }
  return "";
}

std::string compare_loaded(const Scenario& scenario, const Environment& environment, const LoadedVariables& variables) {
  const auto machine = Machine::create(environment.platform, environment.cost, {.memory = SliceUse::kRecycled});
  if (!machine) return machine.error();
  ProcessReport report(**machine, environment.assumptions);
  MachineSide in_process(**machine, Shown::kTime);
  LoadedSide loaded(variables, environment.platform);
  std::string found = compare_sides(scenario, in_process, "in process", loaded, "loaded");
  if (!found.empty()) return found;
  report.finish();
  const std::string said = loaded.finish();
  if (!loaded.complaint().empty()) return fmt::format("at the end, loaded: {}", loaded.complaint());
  return said == report.text() ? "" : fmt::format("in process reports\n{}loaded\n{}", report.text(), said);
}

std::string compare_with_rules(const Scenario& scenario, const Platform& platform, const OnDriverCall& on_call) {
  Platform plain = platform;
  plain.lenient = false;
  plain.non_identity = false;
  plain.reuse = scenario.reuse;
  BareSide driver(plain);
  DriverRules rules(plain, driver.base(), BareSide::size());
  CallReader reader(false);
  for (std::size_t i = 0; i < scenario.operations.size(); ++i) {
    for (const DriverCall& call : reader.read(scenario.operations[i])) {
      const std::uint64_t address = driver.address(call);
      const DriverAnswer answer = driver.answer(call);
      if (on_call) on_call(call, answer);
      std::string wrong = rules.judge(call, address, answer, driver.state());
      if (wrong.empty()) wrong = driver.complaint();
      if (!wrong.empty()) {
        return fmt::format("operation {}, {}: the driver of {} answered {}: {}", i, call_text(call), plain.name,
                           answer_text(answer), wrong);
      }
      reader.note(call, answer.code);
    }
  }
  return "";
}

}  // namespace svmsim
