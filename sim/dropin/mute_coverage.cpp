// SPDX-License-Identifier: Apache-2.0
// What code calls that is instrumented for libFuzzer, in libraries that no fuzzer watches: it has its own in programs
// only, and keeps it from what they load.
#include <cstdint>

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the compiler's.
extern "C" {
void __sanitizer_cov_8bit_counters_init(char* /*begin*/, char* /*end*/) {}
void __sanitizer_cov_pcs_init(const std::uintptr_t* /*begin*/, const std::uintptr_t* /*end*/) {}
void __sanitizer_cov_trace_pc_indir(std::uintptr_t /*callee*/) {}
thread_local std::uintptr_t __sancov_lowest_stack = 0;
}
// NOLINTEND(bugprone-reserved-identifier)
