// SPDX-License-Identifier: Apache-2.0
// What a board showed when somebody was content with it, in a file: for each scene an observation, and how they were
// made. Value types, thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cli/cli_error.h"
#include "cli/regress/observation.h"

namespace svmsim {

// What must be the same for a comparison to mean anything.
struct BaselineSetup {
  std::string platform;
  std::string policy;
  std::uint64_t rounds = 0;
  std::uint64_t seed = 0;
};

struct Baseline {
  BaselineSetup setup;
  bool simulated_clock = false;
  std::map<std::string, Observation> scenes;
};

[[nodiscard]] std::string baseline_text(const Baseline& baseline);
// The error names file and key; also where it was made in another way than `setup` says.
[[nodiscard]] CliResult<Baseline> read_baseline(const std::string& path, const BaselineSetup& setup);

}  // namespace svmsim
