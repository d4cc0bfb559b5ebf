// SPDX-License-Identifier: Apache-2.0
// A driver whose register never comes back, and sends the runner the signal of FAKE_SIGNAL first.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "sim/conformance/testing/libraries/fake_library.h"

int halMemFree(void*) { return 3; }
int halHostRegister(void*, std::uint64_t, std::uint32_t, std::uint32_t, void**) {
  kill(getppid(), std::atoi(std::getenv("FAKE_SIGNAL")));
  while (true) pause();
}
