// SPDX-License-Identifier: Apache-2.0
// The life of a device runner: bytes are a scenario, whose every operation is compared with the reference model while
// the oracle watches the driver.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "fuzz/operation_mutator.h"
#include "fuzz/platforms_or_exit.h"
#include "fuzz/scenario_bytes.h"
#include "fuzz/target.h"
#include "property_tests/harness.h"
#include "property_tests/scenario_file.h"

namespace svmsim {
namespace {

// Copies `from` to `to`; returns how many bytes.
std::size_t put(const std::vector<std::uint8_t>& from, std::uint8_t* to) {
  std::copy(from.begin(), from.end(), to);
  return from.size();
}

}  // namespace
}  // namespace svmsim

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

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return svmsim::put(svmsim::mutated({data, size}, std::min(most, svmsim::kMostScenarioBytes), seed), data);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t most, unsigned seed) {
  const std::size_t room = std::min(most, svmsim::kMostScenarioBytes);
  return svmsim::put(svmsim::spliced({one, one_size}, {other, other_size}, room, seed), out);
}
