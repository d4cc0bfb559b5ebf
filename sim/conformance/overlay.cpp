// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/overlay.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace svmsim {
namespace {

bool is_address(const std::string& seen) { return std::string_view(seen).starts_with("address "); }

bool same_answer(const CaseOutcome& seen, const CaseOutcome& simulated) {
  if (seen.verdict == CaseVerdict::kNotApplicable) return true;
  if (seen.verdict != simulated.verdict) return false;
  if (seen.verdict == CaseVerdict::kAgrees) return true;
  return seen.step == simulated.step &&
         (seen.seen == simulated.seen || (is_address(seen.seen) && is_address(simulated.seen)));
}

// Case by case, of all scripts, whether the answers differ.
struct Differences {
  std::vector<bool> differs;
  std::size_t number = 0;

  [[nodiscard]] bool has_one_that_is_not_in(const Differences& others) const {
    for (std::size_t i = 0; i < differs.size(); ++i) {
      if (differs[i] && !others.differs[i]) return true;
    }
    return false;
  }
};

Differences compare(const ConformanceReport& seen, const ConformanceReport& simulated) {
  Differences differences;
  for (std::size_t script = 0; script < seen.scripts.size(); ++script) {
    const auto& cases = seen.scripts[script].cases;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const bool differs = !same_answer(cases[i], simulated.scripts[script].cases[i]);
      differences.differs.push_back(differs);
      if (differs) ++differences.number;
    }
  }
  return differences;
}

}  // namespace

Overlay find_overlay(const Platform& base, const std::vector<ConformanceScript>& scripts, const ConformanceReport& seen,
                     const AddressLayout& layout) {
  const HalSurroundings surroundings = surroundings_of(base, layout.device_base.value());
  Overlay overlay;
  Platform platform = base;
  ConformanceReport simulated = run_scripts_in_process(scripts, platform, layout, surroundings);
  Differences left = compare(seen, simulated);
  while (left.number > 0) {
    const PlatformKeyValue* best = nullptr;
    Platform best_platform;
    ConformanceReport best_simulated;
    Differences best_left = left;
    for (const PlatformKeyValue& key : platform_key_values()) {
      Platform changed = platform;
      key.set(changed);
      if (changed.fragmented && !can_be_fragmented(changed)) continue;
      ConformanceReport report = run_scripts_in_process(scripts, changed, layout, surroundings);
      Differences differences = compare(seen, report);
      if (differences.number >= best_left.number || differences.has_one_that_is_not_in(left)) continue;
      best = &key;
      best_platform = std::move(changed);
      best_simulated = std::move(report);
      best_left = std::move(differences);
    }
    if (best == nullptr) break;
    std::erase_if(overlay.changes, [&](const PlatformChange& change) { return change.key == best->key; });
    overlay.changes.push_back({best->key, best->value});
    platform = std::move(best_platform);
    simulated = std::move(best_simulated);
    left = std::move(best_left);
  }
  for (std::size_t script = 0, number = 0; script < seen.scripts.size(); ++script) {
    const ScriptReport& one = seen.scripts[script];
    for (std::size_t i = 0; i < one.cases.size(); ++i, ++number) {
      if (left.differs[number]) {
        overlay.unexplained.push_back({one.script, one.cases[i], simulated.scripts[script].cases[i]});
      }
    }
  }
  return overlay;
}

}  // namespace svmsim
