// SPDX-License-Identifier: Apache-2.0
// Whether a function of a drop-in library is to look as if the library did not have it: the environment omits it
// (SVMSIM_OMIT), or it is halMemHostGetDevPointer and the platform's driver is v3 (U5). Asked by the ifunc resolvers
// of the libraries, which the dynamic linker runs before libc and sanitizers are ready: hence no call of libc but
// syscall(), and the environment as the program was started with it, from /proc/self/environ. Thread-safe.
#pragma once

extern "C" {

// `name` ends with a zero.
__attribute__((visibility("hidden"))) bool svmsim_symbol_is_absent(const char* name);
}
