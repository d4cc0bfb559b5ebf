// SPDX-License-Identifier: Apache-2.0
// The symbol table of libascend_hal.so. What the functions do is in libsvmsim_process.so.
#include "sim/dropin/export.h"
#include "sim/dropin/symbols.h"

SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_EXPORT)
