// SPDX-License-Identifier: Apache-2.0
// Replaces the global operator new and delete of a test program and counts every use of them by a thread that holds
// a lock of the runtime. Linking allocation_guard.cpp is enough: after the last test it fails the program if the
// count is not zero. Thread-safe.
#pragma once

#include <cstdint>

namespace svmrt::testing {

// Allocations and releases made with a lock held, since the start or the last reset.
[[nodiscard]] std::uint64_t allocations_with_lock_held();
void reset_allocations_with_lock_held();

}  // namespace svmrt::testing
