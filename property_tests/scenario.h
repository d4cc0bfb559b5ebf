// SPDX-License-Identifier: Apache-2.0
// A life of one machine and one runner: on which platform, under which policy, and the operations in order. What a
// property draws, a failure is shrunk to, and fixtures/bugs/ holds. Value type, thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "property_tests/operation.h"
#include "runtime/policy.h"
#include "sim/backing.h"
#include "sim/cost/cost_model.h"
#include "sim/platform.h"

namespace svmsim {

struct Scenario {
  std::string name;         // letters, digits, '-' and '_'; may be empty
  std::string description;  // may be empty
  std::string source;       // where it is from: a document, or a seed and a case; may be empty
  std::string fault;        // the planted fault that this scenario must expose; may be empty
  std::string platform = "a2a3";
  svmrt::Policy policy = svmrt::Policy::kCached;
  AddressReuse reuse = AddressReuse::kDriver;
  BackingKind backing = BackingKind::kPlain;
  std::vector<Operation> operations;
  bool operator==(const Scenario&) const = default;
};

// A platform file and its calibration, ready to build machines of. Scenarios need little memory: the platform has
// kScenarioHbm of it, whatever its file says, so that every build of svmsim can hold the machine.
struct ScenarioPlatform {
  Platform platform;
  CostModel cost;
};
inline constexpr svmrt::Bytes kScenarioHbm{std::uint64_t{1} << 30};

// The platforms that a scenario may name, in a fixed order; borrowed by whoever runs scenarios.
using ScenarioPlatforms = std::vector<ScenarioPlatform>;
// Null when there is none of this name.
[[nodiscard]] const ScenarioPlatform* find_platform(const ScenarioPlatforms& platforms, const std::string& name);
// All in `fixtures`/platforms but "identity", whose driver has no rules to keep; sorted by name.
[[nodiscard]] ConfigResult<ScenarioPlatforms> load_scenario_platforms(const std::string& fixtures);

}  // namespace svmsim
