// SPDX-License-Identifier: Apache-2.0
// The life of a device runner: bytes are a scenario, whose every operation is compared with the reference model while
// the oracle watches the driver.
#include <cstdio>
#include <cstdlib>

#include "fuzz/platforms_or_exit.h"
#include "fuzz/scenario_bytes.h"
#include "fuzz/target.h"
#include "property_tests/harness.h"
#include "property_tests/scenario_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  svmsim::prepare_input();
  svmsim::Scenario scenario = svmsim::scenario_from_bytes({data, size}, svmsim::platforms_or_exit());
  const svmsim::ScenarioResult result = svmsim::run_scenario(scenario, svmsim::platforms_or_exit());
  if (result.error.empty() && !result.failure) return 0;
  const std::string what = result.failure ? result.failure->property + ": " + result.failure->message : result.error;
  scenario.name = "found";
  std::fprintf(stderr, "%s\nsvmsim replay shows this file step by step:\n%s", what.c_str(),
               svmsim::scenario_text(scenario).c_str());
  std::abort();
}
