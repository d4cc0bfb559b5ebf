// SPDX-License-Identifier: Apache-2.0
// The mutators of every target whose bytes are a scenario.
#include <algorithm>

#include "fuzz/operation_mutator.h"
#include "fuzz/scenario_bytes.h"
#include "fuzz/target.h"

namespace svmsim {
namespace {

// Copies `from` to `to`; returns how many bytes.
std::size_t give(const std::vector<std::uint8_t>& from, std::uint8_t* to) {
  std::copy(from.begin(), from.end(), to);
  return from.size();
}

}  // namespace
}  // namespace svmsim

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return svmsim::give(svmsim::mutated({data, size}, std::min(most, svmsim::kMostScenarioBytes), seed), data);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t most, unsigned seed) {
  const std::size_t room = std::min(most, svmsim::kMostScenarioBytes);
  return svmsim::give(svmsim::spliced({one, one_size}, {other, other_size}, room, seed), out);
}
