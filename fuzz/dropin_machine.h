// SPDX-License-Identifier: Apache-2.0
// The machine behind the drop-in functions that are linked into this program. Thread-safe.
#pragma once

#include "sim/dropin/process.h"

namespace svmsim {

// `look(machine)`, as one call. The machine stays where it is until Process::begin_anew().
template <typename Look>
auto look_at_machine(Look look) {
  const auto at_simulation = [&](const Simulation& simulation) { return look(simulation.machine()); };
  return Process::instance().call(at_simulation, at_simulation);
}

}  // namespace svmsim
