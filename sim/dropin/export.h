// SPDX-License-Identifier: Apache-2.0
// SVMSIM_EXPORT(NAME) makes NAME a function of a drop-in library: an ifunc, so that one that is to be absent has the
// address null, for dlsym and for a weak reference alike. The prototype does not matter here, as C calls by name.
#pragma once

#include "sim/dropin/absent_symbol.h"

// The resolver needs C linkage and a place in the symbol table (clang looks it up by name), and runs before a
// sanitizer does. The library is built without sanitizers; the attribute also keeps it right where somebody adds one.
#define SVMSIM_EXPORT(NAME)                                                                                      \
  extern "C" {                                                                                                   \
  void svmsim_##NAME();                                                                                          \
  __attribute__((no_sanitize("address", "thread", "undefined"), visibility("hidden"))) auto svmsim_find_##NAME() \
      -> void (*)() {                                                                                            \
    return svmsim_symbol_is_absent(#NAME) ? nullptr : svmsim_##NAME;                                             \
  }                                                                                                              \
  __attribute__((visibility("default"), ifunc("svmsim_find_" #NAME))) void NAME();                               \
  }
