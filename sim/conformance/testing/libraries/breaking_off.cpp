// SPDX-License-Identifier: Apache-2.0
// A driver whose register closes every descriptor of the process and lives on.
#include <unistd.h>

#include "sim/conformance/testing/libraries/fake_library.h"

int halMemFree(void*) { return 3; }
int halHostRegister(void*, std::uint64_t, std::uint32_t, std::uint32_t, void**) {
  for (int descriptor = 0; descriptor < 1024; ++descriptor) close(descriptor);
  for (;;) pause();
}
