// SPDX-License-Identifier: Apache-2.0
// The symbol table of libascendcl.so. What the functions do is in libsvmsim_process.so.
#include "sim/dropin/export.h"
#include "sim/dropin/symbols.h"

SVMSIM_ASCENDCL_SYMBOLS(SVMSIM_EXPORT)
