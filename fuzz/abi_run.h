// SPDX-License-Identifier: Apache-2.0
// An input from begin to end, on a machine of its own: its calls, one thread or two, and then everything is given back.
// Aborts when a call does what no rule allows or something is left behind. Uses the one drop-in process: thread-bound.
#pragma once

#include "fuzz/abi_bytes.h"

namespace svmsim {

void run_abi(const AbiInput& input);

}  // namespace svmsim
