// SPDX-License-Identifier: Apache-2.0
// The default kernel: whatever the function, it fills the outputs with words derived from a digest of the function
// ids, the scalars and every input byte, so that a wrong order, a stale byte or a wrong address changes the result.
// Addresses take no part: the same graph on other addresses gives the same bytes. Thread-safe as long as concurrent
// calls write disjoint memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "runtime/orchestration/host_kernel.h"

namespace svmsim {

// Runs one task, an svmrt::TaskEffect that never objects. Tensors without data give their shape only, and are not
// written.
[[nodiscard]] tl::expected<void, std::string> run_digest_kernel(const svmrt::TaskRecord& task,
                                                                std::span<const svmrt::KernelTensor> tensors,
                                                                std::span<const std::uint64_t> scalars);

}  // namespace svmsim
