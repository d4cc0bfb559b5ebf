// SPDX-License-Identifier: Apache-2.0
// A task's predicate: where its operand lies, and whether it holds for the bytes found there. Whoever runs the graph
// fetches the bytes. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

#include "runtime/orchestration/task_graph.h"
#include "runtime/units.h"

namespace svmrt {

struct PredicateOperand {
  DeviceAddr address;
  Bytes size;  // of one element
};
[[nodiscard]] PredicateOperand predicate_operand(const TaskPredicate& predicate);

// Whether `operand op target` holds, for the element at `operand`. Integers are compared as their dtype, extended to 64
// bits by sign; FLOAT32, FLOAT16 and BFLOAT16 by value. Of UINT64, bits above the 63rd count: it is compared as
// unsigned, and is above every negative target. The error names another dtype.
[[nodiscard]] tl::expected<bool, std::string> predicate_holds(const TaskPredicate& predicate, const std::byte* operand);

}  // namespace svmrt
