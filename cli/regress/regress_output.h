// SPDX-License-Identifier: Apache-2.0
// What `svmsim regress` prints. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/regress/baseline.h"
#include "cli/regress/regression.h"
#include "sim/output/json_document.h"

namespace svmsim {

struct RegressReport {
  BaselineSetup setup;
  std::optional<bool> simulated_clock;  // of the times; nothing when no scene came to its end
  std::string library;                  // libascend_hal.so as it is loaded
  std::vector<SceneRegression> scenes;  // those that were begun
  std::size_t asked = 0;                // how many scenes there are to run
  std::optional<std::string> baseline;  // the file that was compared with, or written
  std::uint64_t tolerance_percent = 0;
  bool updated = false;  // the file was written

  // Everything as simulated, and as the baseline has it; a run that wrote one, or ran less than all, does not pass.
  [[nodiscard]] bool passes() const;
};

[[nodiscard]] Json regress_json(const RegressReport& report);
[[nodiscard]] std::string regress_text(const RegressReport& report);

}  // namespace svmsim
