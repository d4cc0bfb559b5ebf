// SPDX-License-Identifier: Apache-2.0
// What `svmsim replay` prints: one JSON document, and text made from it. Steps and verdict are documents from the
// start, because they come from another process. Addresses are relative to the slice, as in traces. Pure functions,
// thread-safe.
#pragma once

#include <string>

#include "property_tests/harness.h"
#include "property_tests/scenario.h"
#include "sim/output/json_document.h"

namespace svmsim {

// One step of the scenario. It has a member "index", the verdict has none.
[[nodiscard]] Json step_json(const StepReport& step, const Scenario& scenario);
// "digest", "failure" (null without one), "error" (empty without one).
[[nodiscard]] Json verdict_json(const ScenarioResult& result);

[[nodiscard]] Json replay_json(const std::string& file, const Scenario& scenario, Json steps, const Json& verdict);
// `document` is one of replay_json.
[[nodiscard]] std::string replay_text(const Json& document);

}  // namespace svmsim
