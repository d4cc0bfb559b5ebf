// SPDX-License-Identifier: Apache-2.0
// Prints the samples as code, for a test that compiles it.
#include <cstdio>

#include "property_tests/scenario_code.h"
#include "property_tests/testing/scenario_samples.h"

int main() {
  for (const svmsim::Scenario& scenario : svmsim::scenario_samples()) {
    const std::string code = svmsim::scenario_code(scenario) + "\n";
    std::fwrite(code.data(), 1, code.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
