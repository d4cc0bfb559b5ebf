// SPDX-License-Identifier: Apache-2.0
// What svmsim makes of a file that it has read, without a run: what must hold of it, whatever the file says. Each
// returns what is wrong with the file and shows only here, if anything, and aborts when something else is.
// Thread-bound.
#pragma once

#include <optional>

#include "cli/check_report.h"
#include "cli/cli_error.h"
#include "cli/scene/scene.h"
#include "property_tests/scenario.h"
#include "sim/conformance/script.h"
#include "sim/cost/calibration.h"
#include "sim/faults/fault_plan.h"
#include "sim/platform.h"

namespace svmsim {

// The driver of the platform keeps its books, and each size costs something or has a reason not to.
[[nodiscard]] std::optional<CliError> use(const Platform& platform);
// The calibration can be fitted again, and prices grow with sizes.
[[nodiscard]] std::optional<CliError> use(const Calibration& calibration);
// Points: what is fitted to them can be written, and read again it is the same.
[[nodiscard]] std::optional<CliError> use_points(const Calibration& points);
// Two injectors fail the same calls, each with a code of the plan.
[[nodiscard]] std::optional<CliError> use(const FaultPlan& plan);
// Its tensors can be filled, if they are small, and its golden computed or refused.
[[nodiscard]] std::optional<CliError> use(const Scene& scene);
// Each case has an outcome, and the driver keeps its books.
[[nodiscard]] std::optional<CliError> use(const ConformanceScript& script);
// Written and read again, it is the same.
[[nodiscard]] std::optional<CliError> use(const Scenario& scenario);
[[nodiscard]] std::optional<CliError> use(const CheckReport& report);

}  // namespace svmsim
