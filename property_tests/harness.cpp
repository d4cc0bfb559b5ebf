// SPDX-License-Identifier: Apache-2.0
#include "property_tests/harness.h"

#include <fmt/format.h>

#include <ostream>

#include "property_tests/landmarks.h"
#include "property_tests/stage.h"
#include "sim/machine/digest.h"

namespace svmsim {

namespace {

// The driver calls since they were last taken.
class CallLog final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { calls_.push_back(record); }
  [[nodiscard]] std::vector<CallRecord> take() { return std::exchange(calls_, {}); }

 private:
  std::vector<CallRecord> calls_;
};

class Harness {
 public:
  Harness(const Scenario& scenario, const ScenarioPlatform& platform, Machine& machine, ScenarioResult& result)
      : scenario_(scenario),
        machine_(machine),
        result_(result),
        stage_(machine, scenario.policy),
        model_(platform, scenario.policy),
        landmarks_(scenario.policy, result.coverage) {
    machine_.add_observer(log_);
  }
  ~Harness() { machine_.remove_observer(log_); }

  void run(const std::function<void(const StepReport&)>& on_step) {
    for (const Operation& operation : scenario_.operations) {
      const StepReport report = step(operation);
      ++result_.operations;
      if (on_step) on_step(report);
      if (result_.failure) return;
    }
    const StepReport report = tear_down();
    if (on_step) on_step(report);
    digest_.add(machine_.trace_digest());
    result_.digest = digest_.value();
  }

 private:
  StepReport step(const Operation& operation) {
    StepReport report;
    report.index = result_.operations;
    report.operation = operation;
    if (model_.applies(operation)) {
      const bool is_access = operation.kind == OperationKind::kRead || operation.kind == OperationKind::kWrite;
      const Stage::Performed performed = stage_.perform(operation, is_access && model_.reaches_child_memory(operation));
      report.outcome = performed.outcome;
      report.arrived_mapped = performed.facts.arrived_mapped;
      const Model::Expected expected = model_.apply(operation, performed.facts);
      report.known = expected.known;
      check_answer(operation, performed.outcome, expected);
      for (std::uint8_t slot = 0; slot < kSlots; ++slot) check_memory(slot);
    }
    finish(report);
    return report;
  }

  StepReport tear_down() {
    StepReport report;
    report.index = result_.operations;
    report.operation.kind = OperationKind::kFinalize;
    stage_.tear_down();
    model_.tear_down();
    finish(report);
    return report;
  }

  void finish(StepReport& report) {
    report.slice_base = machine_.slice_base();
    report.calls = log_.take();
    report.after = stage_.snapshot();
    if (!result_.failure && !stage_.violations().empty()) {
      const Violation& broken = stage_.violations().front();
      fail(broken.rule,
           broken.allocation.empty() ? broken.message : fmt::format("{}: {}", broken.allocation, broken.message));
    }
    if (!result_.failure) {
      Difference found = difference(report.after, model_.snapshot());
      if (!found.property.empty()) fail(std::move(found.property), std::move(found.message));
    }
    landmarks_.note(report);
    digest_.add((static_cast<std::uint64_t>(report.outcome.answer) << 32) |
                static_cast<std::uint32_t>(report.outcome.code));
    digest_.add_bytes(std::as_bytes(std::span(report.outcome.bytes)));
  }

  void fail(std::string property, std::string message) {
    if (!result_.failure) result_.failure = Failure{std::move(property), result_.operations, std::move(message)};
  }

  void check_answer(const Operation& operation, const Outcome& actual, const Model::Expected& expected) {
    if (actual.answer != expected.outcome.answer || actual.code != expected.outcome.code) {
      const bool is_fork = operation.kind == OperationKind::kFork;
      const bool is_race = operation.kind == OperationKind::kRace;
      fail(is_fork   ? "fork"
           : is_race ? "race"
                     : "answer",
           fmt::format("{}: answered {} instead of {}", operation_text(operation), outcome_text(actual),
                       outcome_text(expected.outcome)));
      return;
    }
    bool same = actual.bytes.size() == expected.outcome.bytes.size();
    for (std::size_t i = 0; same && i < actual.bytes.size(); ++i) {
      same = !expected.known[i] || actual.bytes[i] == expected.outcome.bytes[i];
    }
    if (same) return;
    fail("bytes", fmt::format("{}: {} instead of {}", operation_text(operation), outcome_text(actual),
                              outcome_text(expected.outcome)));
  }

  void check_memory(std::uint8_t slot) {
    const ModelBytes& expected = model_.memory(slot);
    const std::byte* const actual = expected.empty() ? nullptr : stage_.memory(slot);
    if (actual == nullptr) return;
    for (const auto& [offset, byte] : expected) {
      if (std::to_integer<std::uint8_t>(actual[offset]) == byte) continue;
      fail("memory", fmt::format("slot {} holds {:02x} instead of {:02x} at offset {}", slot,
                                 std::to_integer<std::uint8_t>(actual[offset]), byte, offset));
      return;
    }
  }

  const Scenario& scenario_;
  Machine& machine_;
  ScenarioResult& result_;
  CallLog log_;
  Stage stage_;
  Model model_;
  LandmarkFinder landmarks_;
  Digest digest_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Failure& failure) {
  return out << failure.property << " at operation " << failure.operation << ": " << failure.message;
}

ScenarioResult run_scenario(const Scenario& scenario, const ScenarioPlatforms& platforms,
                            const std::function<void(const StepReport&)>& on_step) {
  ScenarioResult result;
  const ScenarioPlatform* const found = find_platform(platforms, scenario.platform);
  if (found == nullptr) {
    result.error = fmt::format("there is no platform '{}' for scenarios", scenario.platform);
    return result;
  }
  ScenarioPlatform platform = *found;
  platform.platform.reuse = scenario.reuse;
  const auto machine =
      Machine::create(platform.platform, platform.cost, {.backing = scenario.backing, .memory = SliceUse::kRecycled});
  if (!machine) {
    result.error = machine.error();
    return result;
  }
  Harness(scenario, platform, **machine, result).run(on_step);
  return result;
}

}  // namespace svmsim
