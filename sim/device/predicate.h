// SPDX-License-Identifier: Apache-2.0
// Evaluates a task's predicate on the bytes of a machine. Thread-compatible.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "runtime/orchestration/task_graph.h"
#include "sim/machine/machine.h"

namespace svmsim {

// Whether `operand op target` holds. Integers are compared as their dtype, extended to 64 bits by sign; FLOAT32,
// FLOAT16 and BFLOAT16 by value. Of UINT64, bits above the 63rd count: it is compared as unsigned, and is above every
// negative target. The error names an operand that lies outside live device memory, has no data, or has another dtype.
[[nodiscard]] tl::expected<bool, std::string> predicate_holds(Machine& machine, const svmrt::TaskPredicate& predicate);

}  // namespace svmsim
