// SPDX-License-Identifier: Apache-2.0
// The functions behind the drop-in libraries: bytes are calls with arguments, judged by the rules.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "fuzz/abi_bytes.h"
#include "fuzz/abi_run.h"
#include "fuzz/target.h"

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
  svmsim::run_abi(svmsim::abi_input({data, size}));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return svmsim::put(svmsim::mutated_abi({data, size}, most, seed), data);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* other,
                                      std::size_t other_size, std::uint8_t* out, std::size_t most, unsigned seed) {
  return svmsim::put(svmsim::spliced_abi({one, one_size}, {other, other_size}, most, seed), out);
}
