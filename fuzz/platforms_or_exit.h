// SPDX-License-Identifier: Apache-2.0
// The platforms of fixtures_folder.h, for programs that can do nothing without. Thread-safe.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fuzz/fixtures_folder.h"
#include "property_tests/scenario.h"

namespace svmsim {

// Loaded once; ends the process with 2, and a message that names the file, when they cannot be.
[[nodiscard]] inline const ScenarioPlatforms& platforms_or_exit() {
  static const ScenarioPlatforms loaded = [] {
    auto all = load_scenario_platforms(fixtures_folder());
    if (all) return *std::move(all);
    std::fprintf(stderr, "%s\n", all.error().message().c_str());
    std::exit(2);
  }();
  return loaded;
}

}  // namespace svmsim
