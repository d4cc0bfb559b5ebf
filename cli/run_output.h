// SPDX-License-Identifier: Apache-2.0
// What `svmsim run` prints: one JSON document for machines, a table for people. Pure functions, thread-safe.
#pragma once

#include <string>

#include "cli/run_scene.h"
#include "sim/output/json_document.h"

namespace svmsim {

[[nodiscard]] Json run_json(const RunSetup& setup, const RunResult& result);
[[nodiscard]] std::string run_text(const RunSetup& setup, const RunResult& result);

}  // namespace svmsim
