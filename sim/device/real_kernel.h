// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of one task on the CPU, on the bytes of a machine: each active slot's function, block after block,
// the slots of a block in the order cube, first vector, second vector. Thread-compatible.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "runtime/orchestration/task_graph.h"
#include "sim/device/kernel_table.h"
#include "sim/machine/machine.h"

namespace svmsim {

// The error names a tensor that does not lie in live device memory or has no data, a function without a kernel, or what
// a kernel has against its arguments.
[[nodiscard]] tl::expected<void, std::string> run_real_kernels(Machine& machine, const KernelTable& kernels,
                                                               const svmrt::TaskGraph& graph,
                                                               const svmrt::TaskRecord& task);

}  // namespace svmsim
