// SPDX-License-Identifier: Apache-2.0
// Simpler variants of a scenario, the boldest first: with operations left out (large chunks, then single ones), on the
// plainest setting, with plainer fields. What a failure is shrunk by. Pure function, thread-safe.
#pragma once

#include <rapidcheck.h>

#include "property_tests/scenario.h"

namespace svmsim {

// The scenario with, lazily, the tree of its simpler variants.
[[nodiscard]] rc::Shrinkable<Scenario> shrinkable_of(Scenario scenario);

}  // namespace svmsim
