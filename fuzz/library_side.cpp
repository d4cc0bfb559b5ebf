// SPDX-License-Identifier: Apache-2.0
#include "fuzz/library_side.h"

#include <utility>

#include "fuzz/dropin_machine.h"
#include "fuzz/machine_side.h"

namespace svmsim {

namespace {

constexpr LibraryFunctions kLinked = {
#define SVMSIM_LINKED(NAME) .NAME = svmsim_##NAME,
    SVMSIM_ASCEND_HAL_SYMBOLS(SVMSIM_LINKED) SVMSIM_ASCENDCL_SYMBOLS(SVMSIM_LINKED)
#undef SVMSIM_LINKED
};

}  // namespace

tl::expected<std::unique_ptr<LibrarySide>, std::string> LibrarySide::create(Environment environment) {
  if (const auto error = Process::instance().begin_anew(std::move(environment))) return tl::unexpected(*error);
  return std::unique_ptr<LibrarySide>(new LibrarySide());
}

LibrarySide::LibrarySide()
    : caller_(kLinked), machine_(*look_at_machine([](const Machine& machine) { return &machine; })) {}

// The report is made too, and nobody reads it.
LibrarySide::~LibrarySide() {
  caller_.close();
  Process::instance().call([](Simulation& simulation) { static_cast<void>(simulation.finish()); },
                           [](const Simulation& /*in a child*/) {});
}

// As the report and a program see it.
DriverState LibrarySide::state() const {
  DriverState state = machine_state(machine_);
  state.now_ns = caller_.now_ns();
  return state;
}

}  // namespace svmsim
