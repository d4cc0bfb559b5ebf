// SPDX-License-Identifier: Apache-2.0
// The default kernel: whatever the function, it fills the outputs with words derived from a digest of the function
// ids, the scalars and every input byte, so that a wrong order, a stale byte or a wrong address changes the result.
// Addresses take no part: the same graph on other addresses gives the same bytes. Thread-compatible.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "runtime/orchestration/task_graph.h"
#include "sim/machine/machine.h"

namespace svmsim {

// Runs one task on the bytes of `machine`. Tensors without data give their shape only, and are not written. The
// error names a tensor that does not lie in live device memory.
[[nodiscard]] tl::expected<void, std::string> run_digest_kernel(Machine& machine, const svmrt::TaskGraph& graph,
                                                                const svmrt::TaskRecord& task);

}  // namespace svmsim
