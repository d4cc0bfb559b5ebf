// SPDX-License-Identifier: Apache-2.0
// Plants the fault that SVMRT_PLANT names, anew for each input: faults remember things.
#include <cstdlib>

#include "fuzz/target.h"
#include "property_tests/zoo/planted.h"

void svmsim::prepare_input() {
  if (const char* const name = std::getenv("SVMRT_PLANT")) svmrt::plant(name);
}
