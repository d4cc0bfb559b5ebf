// SPDX-License-Identifier: Apache-2.0
// A driver whose device does not open.
#include "sim/conformance/testing/libraries/fake_library.h"

int halMemAgentOpen(std::uint32_t, std::uint32_t) { return 1; }
