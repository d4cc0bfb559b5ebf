// SPDX-License-Identifier: Apache-2.0
// What a process asks of the drop-in libraries: its environment variables SVMSIM_*, and ASCEND_RT_VISIBLE_DEVICES of
// the ACL runtime, read and checked together. docs/drop-in.md describes each. Value types, thread-compatible;
// read_environment() alone looks at the process.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/backing.h"
#include "sim/cost/calibration.h"
#include "sim/cost/cost_model.h"
#include "sim/faults/fault_plan.h"
#include "sim/platform.h"

namespace svmsim {

struct Environment {
  Platform platform;
  CostModel cost{CostParameters{}};
  std::vector<Assumption> assumptions;  // what no measurement stands behind in these prices
  BackingKind backing = BackingKind::kMmu;
  std::optional<FaultPlan> faults;
  std::optional<std::string> trace_path;
  std::optional<std::string> report_path;  // "-": standard error
  bool strict = false;
  std::vector<std::string> omitted;  // symbols that the libraries do not show
  std::string version;               // what dsmi_get_version answers
  // The driver's ids of the devices that the ACL layer numbers from 0.
  std::vector<std::uint32_t> visible_devices = {0};
};

// Every variable of this process whose name begins with SVMSIM_, and ASCEND_RT_VISIBLE_DEVICES.
[[nodiscard]] std::map<std::string, std::string> svmsim_variables();

// Reads the variables; names of platforms and fault plans are looked up in the folder `fixtures`. An empty value
// counts as none. The error is one line: variable, value and what is allowed.
[[nodiscard]] tl::expected<Environment, std::string> read_environment(
    const std::map<std::string, std::string>& variables, const std::string& fixtures);

}  // namespace svmsim
