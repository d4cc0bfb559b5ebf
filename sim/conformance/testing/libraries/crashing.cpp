// SPDX-License-Identifier: Apache-2.0
// A driver whose register dies of a fault.
#include <csignal>

#include "sim/conformance/testing/libraries/fake_library.h"

int halMemFree(void*) { return 3; }
int halHostRegister(void*, std::uint64_t, std::uint32_t, std::uint32_t, void**) { return std::raise(SIGSEGV); }
