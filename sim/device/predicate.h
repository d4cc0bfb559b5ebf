// SPDX-License-Identifier: Apache-2.0
// Evaluates a task's predicate on the bytes of a machine. Thread-compatible.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "runtime/orchestration/task_graph.h"
#include "sim/machine/machine.h"

namespace svmsim {

// svmrt::predicate_holds for the operand's bytes. The error also names an operand that lies outside live device memory
// or has no data.
[[nodiscard]] tl::expected<bool, std::string> predicate_holds(Machine& machine, const svmrt::TaskPredicate& predicate);

}  // namespace svmsim
