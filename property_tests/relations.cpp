// SPDX-License-Identifier: Apache-2.0
#include "property_tests/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace svmsim {

namespace {

// What a scenario showed, operation by operation; the tear-down last.
struct Trace {
  std::vector<StepReport> steps;
  std::optional<Failure> failure;  // of the harness itself, or why the scenario could not be run
};

Trace trace_of(const Scenario& scenario, const ScenarioPlatforms& platforms) {
  Trace trace;
  ScenarioResult result =
      run_scenario(scenario, platforms, [&](const StepReport& step) { trace.steps.push_back(step); });
  trace.failure = std::move(result.failure);
  if (!result.error.empty()) trace.failure = Failure{"error", 0, result.error};
  return trace;
}

// An answer with its known bytes, the others as zeros.
Outcome comparable(const StepReport& step) {
  Outcome outcome = step.outcome;
  for (std::size_t i = 0; i < outcome.bytes.size() && i < step.known.size(); ++i) {
    if (!step.known[i]) outcome.bytes[i] = 0;
  }
  return outcome;
}

std::string setting(const Scenario& scenario) {
  return fmt::format("{} under {}", scenario.platform, svmrt::policy_name(scenario.policy));
}

// Blocks that every platform has room for.
constexpr std::uint64_t kLargestPortable = std::uint64_t{64} << 20;

bool is_access(const Operation& operation) {
  return operation.kind == OperationKind::kRead || operation.kind == OperationKind::kWrite;
}

svmrt::Picoseconds mapping_time(const Trace& trace) {
  svmrt::Picoseconds time;
  for (const StepReport& step : trace.steps) {
    for (const CallRecord& call : step.calls) {
      if (call.kind == CallKind::kRegister || call.kind == CallKind::kUnregister) time += call.cost;
    }
  }
  return time;
}

// Indices of the operations that `wanted` accepts.
template <typename Wanted>
std::vector<std::size_t> indices_of(const Scenario& scenario, Wanted wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scenario.operations.size(); ++i) {
    if (wanted(i)) found.push_back(i);
  }
  return found;
}

const std::array<svmrt::Policy, 6>& policies() {
  static const std::array<svmrt::Policy, 6> all = {svmrt::Policy::kCached,
                                                   svmrt::Policy::kRebuild,
                                                   svmrt::Policy::kRegisterAll,
                                                   svmrt::Policy::kCopyOnly,
                                                   svmrt::Policy::budget(svmrt::Bytes(8192)),
                                                   svmrt::Policy::budget(svmrt::Bytes(std::uint64_t{4} << 20))};
  return all;
}

}  // namespace

Scenario portable_part(const Scenario& scenario) {
  Scenario part = scenario;
  part.operations.clear();
  std::array<bool, kRuns> open{};
  std::array<std::uint64_t, kSlots> sizes{};  // of live blocks; 0: none
  bool up = true;
  const auto any_open = [&] { return std::any_of(open.begin(), open.end(), [](bool is_open) { return is_open; }); };
  for (const Operation& operation : scenario.operations) {
    const bool has_slot = uses(operation.kind, OperationField::kSlot);
    const bool in_block = sizes[operation.slot] > 0 && operation.offset < sizes[operation.slot];
    if (has_slot && operation.kind != OperationKind::kAllocate && !in_block) continue;
    switch (operation.kind) {
      case OperationKind::kAllocate: {
        const bool possible = up && operation.size > 0 && operation.size <= kLargestPortable;
        const bool by_runner_or_run = operation.run == kRunner || open[operation.run];
        if (!possible || !by_runner_or_run || sizes[operation.slot] > 0) continue;
        sizes[operation.slot] = operation.size;
        break;
      }
      case OperationKind::kFree:
        if (any_open() || operation.offset > 0) continue;
        if (operation.run != kRunner) continue;
        sizes[operation.slot] = 0;
        break;
      case OperationKind::kOpenRun:
        if (!up) continue;
        open[operation.run] = true;
        break;
      case OperationKind::kEndRun:
        open[operation.run] = false;
        break;
      case OperationKind::kFinalize:
      case OperationKind::kRestart:
        if (any_open()) continue;
        up = operation.kind == OperationKind::kRestart;
        sizes = {};
        break;
      case OperationKind::kClaim:
      case OperationKind::kRead:
      case OperationKind::kWrite:
      case OperationKind::kCloseViews:
      case OperationKind::kUpload:
      case OperationKind::kDownload:
      case OperationKind::kSetMemory:
      case OperationKind::kDeviceWrite:
        break;
      default:
        // Failures, strangers, losses, forks, races; and registers by hand: whether there is a view to be had is the
        // platform's affair.
        continue;
    }
    part.operations.push_back(operation);
  }
  return part;
}

std::optional<Failure> check_differential(const Scenario& scenario, const ScenarioPlatforms& platforms) {
  Scenario variant = portable_part(scenario);
  std::optional<Trace> first;
  std::string first_setting;
  for (const ScenarioPlatform& platform : platforms) {
    for (const svmrt::Policy policy : policies()) {
      variant.platform = platform.platform.name;
      variant.policy = policy;
      Trace trace = trace_of(variant, platforms);
      if (trace.failure) return trace.failure;
      if (!first) {
        first = std::move(trace);
        first_setting = setting(variant);
        continue;
      }
      for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const Outcome here = comparable(trace.steps[i]);
        const Outcome there = comparable(first->steps[i]);
        if (here == there) continue;
        return Failure{"differential", i,
                       fmt::format("{}: {} on {}, {} on {}", operation_text(trace.steps[i].operation),
                                   outcome_text(here), setting(variant), outcome_text(there), first_setting)};
      }
    }
  }
  return std::nullopt;
}

std::optional<Failure> check_cached_is_cheapest(const Scenario& scenario, const ScenarioPlatforms& platforms) {
  Scenario twice = portable_part(scenario);
  const std::vector<Operation> once = twice.operations;
  twice.operations.insert(twice.operations.end(), once.begin(), once.end());
  twice.policy = svmrt::Policy::kCached;
  const Trace cached = trace_of(twice, platforms);
  if (cached.failure) return cached.failure;
  twice.policy = svmrt::Policy::kRebuild;
  const Trace rebuild = trace_of(twice, platforms);
  if (rebuild.failure) return rebuild.failure;
  if (mapping_time(cached) <= mapping_time(rebuild)) return std::nullopt;
  return Failure{"cost", twice.operations.size(),
                 fmt::format("maps and unmaps cost {} ps under cached, {} ps under rebuild",
                             mapping_time(cached).count(), mapping_time(rebuild).count())};
}

std::optional<Failure> check_one_more_access(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                             std::uint64_t where) {
  Scenario base = scenario;
  base.policy = svmrt::Policy::kCached;
  // A queued failure would hit another call.
  std::erase_if(base.operations, [](const Operation& o) { return o.kind == OperationKind::kFailNext; });
  const auto reads = indices_of(base, [&](std::size_t i) { return base.operations[i].kind == OperationKind::kRead; });
  if (reads.empty()) return std::nullopt;
  const std::size_t at = reads[where % reads.size()];
  const Trace without = trace_of(base, platforms);
  if (without.failure) return without.failure;
  Scenario more = base;
  more.operations.insert(more.operations.begin() + static_cast<std::ptrdiff_t>(at), base.operations[at]);
  const Trace with = trace_of(more, platforms);
  if (with.failure) return with.failure;
  const auto& then = with.steps[at].after.mapped;
  const auto& before = at == 0 ? without.steps[0].after.mapped : without.steps[at - 1].after.mapped;
  if (at == 0 || std::includes(then.begin(), then.end(), before.begin(), before.end(),
                               [](const auto& a, const auto& b) { return a.base < b.base; })) {
    return std::nullopt;
  }
  return Failure{"cost", at, fmt::format("{} dropped a mapping", operation_text(base.operations[at]))};
}

std::optional<Failure> check_no_access_no_map(const Scenario& scenario, const ScenarioPlatforms& platforms) {
  Scenario idle = scenario;
  if (idle.policy == svmrt::Policy::kRegisterAll) idle.policy = svmrt::Policy::kCached;
  std::erase_if(idle.operations, [](const Operation& o) {
    return is_access(o) || o.kind == OperationKind::kRace || o.kind == OperationKind::kRegister ||
           o.kind == OperationKind::kStrangerMaps || o.kind == OperationKind::kStrangerLeaks;
  });
  const Trace trace = trace_of(idle, platforms);
  if (trace.failure) return trace.failure;
  for (const StepReport& step : trace.steps) {
    for (const CallRecord& call : step.calls) {
      if (call.kind != CallKind::kRegister) continue;
      return Failure{
          "cost", step.index,
          fmt::format("{} made a register call, though nothing is ever accessed", operation_text(step.operation))};
    }
  }
  return std::nullopt;
}

std::optional<Failure> check_reorder(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                     std::uint64_t where) {
  Scenario base = portable_part(scenario);
  if (base.policy.kind() == svmrt::Policy::Kind::kBudget) base.policy = svmrt::Policy::kCached;  // order decides there
  const auto pairs = indices_of(base, [&](std::size_t i) {
    return i + 1 < base.operations.size() && is_access(base.operations[i]) && is_access(base.operations[i + 1]) &&
           base.operations[i].slot != base.operations[i + 1].slot;
  });
  if (pairs.empty()) return std::nullopt;
  const std::size_t at = pairs[where % pairs.size()];
  Scenario swapped = base;
  std::swap(swapped.operations[at], swapped.operations[at + 1]);
  const Trace one = trace_of(base, platforms);
  if (one.failure) return one.failure;
  const Trace other = trace_of(swapped, platforms);
  if (other.failure) return other.failure;
  for (std::size_t i = 0; i < one.steps.size(); ++i) {
    const std::size_t j = i == at ? at + 1 : i == at + 1 ? at : i;
    if (comparable(one.steps[i]) == comparable(other.steps[j])) continue;
    return Failure{
        "reorder", i,
        fmt::format("{}: {}, but {} when operations {} and {} change places", operation_text(one.steps[i].operation),
                    outcome_text(comparable(one.steps[i])), outcome_text(comparable(other.steps[j])), at, at + 1)};
  }
  if (one.steps.back().after.totals.established == other.steps.back().after.totals.established) return std::nullopt;
  return Failure{"reorder", at, "the number of mappings depends on the order of independent accesses"};
}

std::optional<Failure> check_split_read(const Scenario& scenario, const ScenarioPlatforms& platforms,
                                        std::uint64_t where) {
  const Scenario base = portable_part(scenario);
  const auto reads = indices_of(base, [&](std::size_t i) {
    return base.operations[i].kind == OperationKind::kRead && base.operations[i].size >= 2;
  });
  if (reads.empty()) return std::nullopt;
  const std::size_t at = reads[where % reads.size()];
  const Trace whole = trace_of(base, platforms);
  if (whole.failure) return whole.failure;
  const Outcome expected = comparable(whole.steps[at]);
  // A span that no region covers may have halves that one does.
  if (expected.answer != Answer::kOk) return std::nullopt;
  Scenario halves = base;
  const std::uint64_t first_size = halves.operations[at].size / 2;
  Operation second = halves.operations[at];
  halves.operations[at].size = first_size;
  second.offset += first_size;
  second.size -= first_size;
  halves.operations.insert(halves.operations.begin() + static_cast<std::ptrdiff_t>(at) + 1, second);
  const Trace split = trace_of(halves, platforms);
  if (split.failure) return split.failure;
  Outcome joined = comparable(split.steps[at]);
  const Outcome rest = comparable(split.steps[at + 1]);
  joined.bytes.insert(joined.bytes.end(), rest.bytes.begin(), rest.bytes.end());
  if (rest.answer == Answer::kOk && joined == expected) return std::nullopt;
  return Failure{"split", at,
                 fmt::format("{}: {}, but in two reads {}", operation_text(base.operations[at]), outcome_text(expected),
                             outcome_text(joined))};
}

std::optional<Failure> check_rename(const Scenario& scenario, const ScenarioPlatforms& platforms, std::uint64_t by) {
  Scenario renamed = scenario;
  const auto rotated = [by](std::uint8_t number, std::uint8_t count) {
    return number < count ? static_cast<std::uint8_t>((number + by) % count) : number;
  };
  for (Operation& operation : renamed.operations) {
    operation.slot = rotated(operation.slot, kSlots);
    operation.run = rotated(operation.run, kRuns);
    operation.other = rotated(operation.other, kRuns);
  }
  const Trace one = trace_of(scenario, platforms);
  if (one.failure) return one.failure;
  const Trace other = trace_of(renamed, platforms);
  if (other.failure) return other.failure;
  for (std::size_t i = 0; i + 1 < one.steps.size(); ++i) {  // the tear-down goes by number
    const StepReport& here = one.steps[i];
    const StepReport& there = other.steps[i];
    if (comparable(here) == comparable(there) && here.after.runner_now == there.after.runner_now &&
        here.after.mapped == there.after.mapped) {
      continue;
    }
    return Failure{"rename", i,
                   fmt::format("{}: {}, but {} with slots and runs renamed", operation_text(here.operation),
                               outcome_text(comparable(here)), outcome_text(comparable(there)))};
  }
  return std::nullopt;
}

}  // namespace svmsim
