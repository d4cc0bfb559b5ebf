// SPDX-License-Identifier: Apache-2.0
// The platforms of the source tree, for tests: loaded once, a failed expectation when they cannot be.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "property_tests/scenario.h"

namespace svmsim {

[[nodiscard]] inline const ScenarioPlatforms& platforms() {
  static const ScenarioPlatforms loaded = [] {
    auto all = load_scenario_platforms(SVMSIM_FIXTURES_DIR);
    if (!all) ADD_FAILURE() << all.error().message();
    return all ? *std::move(all) : ScenarioPlatforms{};
  }();
  return loaded;
}

}  // namespace svmsim
