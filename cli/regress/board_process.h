// SPDX-License-Identifier: Apache-2.0
// A piece of work in a process of its own, which hands back a text: libraries that it loads, and what they do to a
// process, end with it, and so do device memory and mappings. Thread-bound; not while other threads run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/child_environment.h"

namespace svmsim {

struct ProcessOutcome {
  std::string text;     // what the work returned; empty when it did not come to that
  std::string failure;  // how the process ended, if not well: "was killed by signal 11 (Segmentation fault)"
};

// `environment` is changed in the process before the work begins. After the work the process leaves through its exit
// handlers, so that a driver can say what it holds. It is killed after `guard_seconds`, when this process ends, and
// when this one is interrupted (Interruption), which is then the failure.
[[nodiscard]] ProcessOutcome run_in_process(const std::function<std::string()>& work,
                                            const EnvironmentChanges& environment, unsigned guard_seconds);

}  // namespace svmsim
