// SPDX-License-Identifier: Apache-2.0
// A driver that answers 0 to every call and does nothing.
#include "sim/conformance/testing/libraries/fake_library.h"

int halMemAlloc(void**, unsigned long long, unsigned long long) { return 0; }
int halMemFree(void*) { return 0; }
int halHostRegister(void*, std::uint64_t, std::uint32_t, std::uint32_t, void**) { return 0; }
int halHostUnregister(void*, std::uint32_t) { return 0; }
int halHostUnregisterEx(void*, std::uint32_t, std::uint32_t) { return 0; }
bool halSupportFeature(std::uint32_t, int) { return false; }
int halMemHostGetDevPointer(void*, std::uint32_t, void**) { return 0; }
int halMemCtl(int, void*, std::size_t, void*, std::size_t*) { return 0; }
