// SPDX-License-Identifier: Apache-2.0
// The kernels by name. The order of a kernel's operations is fixed and it calls no mathematical library, so every
// machine computes the same bits. Thread-safe as long as concurrent calls write disjoint memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/orchestration/host_kernel.h"

namespace svmsim {

using svmrt::KernelCall;
using svmrt::KernelFunction;
using svmrt::KernelTensor;

// Null for an unknown name. README.md lists what each kernel takes.
[[nodiscard]] KernelFunction find_kernel(std::string_view name);
// Sorted.
[[nodiscard]] std::vector<std::string> kernel_names();

}  // namespace svmsim
