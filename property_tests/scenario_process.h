// SPDX-License-Identifier: Apache-2.0
// Processes that scenarios run in: how one is started, waited for, and what its death says. Whatever the parent process
// inherited for the signals involved, a child's end is learnt and its alarm ends it. Thread-bound.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>

#include "property_tests/harness.h"

namespace svmsim {

// As fork(), with nothing buffered that both would write. The child leaves with _exit().
[[nodiscard]] pid_t fork_process();
// In a child: it is killed when it is still there after so many seconds. Another call starts anew.
void end_after(unsigned seconds);
// The status of a child that fork_process() started, when it ended; nullopt (and errno) when nobody can tell.
[[nodiscard]] std::optional<int> wait_for(pid_t child);
[[nodiscard]] bool ended_well(int status);  // with code 0
// Of a child that did not end well: "hang" when end_after() ended it, else "crash".
[[nodiscard]] Failure failure_of_death(int status, unsigned seconds, std::size_t operation);

}  // namespace svmsim
