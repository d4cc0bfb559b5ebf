// SPDX-License-Identifier: Apache-2.0
// What `svmsim run` prints: one JSON document for machines, a table for people. Pure functions, thread-safe.
#pragma once

#include <string>
#include <vector>

#include "cli/json_document.h"
#include "cli/run_scene.h"

namespace svmsim {

[[nodiscard]] Json run_json(const RunSetup& setup, const RunResult& result);
[[nodiscard]] std::string run_text(const RunSetup& setup, const RunResult& result);

// What no measurement stands behind: how the platform's prices of map and unmap were come by, unless they were
// measured, then the calibration's own assumptions.
[[nodiscard]] std::vector<Assumption> platform_assumptions(const Platform& platform, const Calibration& calibration);

}  // namespace svmsim
