// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_injector.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace svmsim {

using svmrt::DriverCode;

FaultInjector::FaultInjector(FaultPlan plan) : plan_(std::move(plan)) {
  for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
    const auto& call = plan_.faults[i].call;
    states_.push_back({RandomStream(plan_.seed, fmt::format("{} {}", call ? call_kind_name(*call) : "any", i)), 0});
  }
}

void FaultInjector::fail_next(CallKind kind, DriverCode code) {
  if (code == DriverCode::kNone) std::abort();  // a bug of the caller: success is no failure
  waiting_.at(static_cast<std::size_t>(kind)).push_back(code);
}

DriverCode FaultInjector::next_call(CallKind kind, std::optional<std::uint64_t> offset) {
  DriverCode code = DriverCode::kNone;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!strikes(plan_.faults[i], states_[i], kind, offset)) continue;
    ++states_[i].hits;
    if (code == DriverCode::kNone) code = plan_.faults[i].code;
  }
  std::deque<DriverCode>& waiting = waiting_.at(static_cast<std::size_t>(kind));
  if (!waiting.empty()) {
    code = waiting.front();
    waiting.pop_front();
  }
  ++calls_;
  ++calls_of_kind_.at(static_cast<std::size_t>(kind));
  if (code != DriverCode::kNone) ++failed_calls_;
  return code;
}

bool FaultInjector::strikes(const Fault& fault, State& state, CallKind kind, std::optional<std::uint64_t> offset) {
  if (fault.call && *fault.call != kind) return false;
  if (fault.range && !(offset && fault.range->contains(*offset))) return false;
  if (state.hits > 0 && fault.repeat == FaultRepeat::kOnce) return false;
  if (state.hits > 0 && fault.repeat == FaultRepeat::kSticky) return true;
  const std::uint64_t number = fault.call ? calls_of_kind_.at(static_cast<std::size_t>(kind)) : calls_;
  if (fault.index && *fault.index != number) return false;
  // The remainder favours no value by more than 1 in 10^13.
  return !fault.per_million || state.stream.next() % 1'000'000 < *fault.per_million;
}

std::vector<std::uint64_t> FaultInjector::hits() const {
  std::vector<std::uint64_t> hits;
  for (const State& state : states_) hits.push_back(state.hits);
  return hits;
}

}  // namespace svmsim
