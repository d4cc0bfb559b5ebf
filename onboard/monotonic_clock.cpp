// SPDX-License-Identifier: Apache-2.0
#include "onboard/monotonic_clock.h"

#include <chrono>

namespace svmsim {

Clock monotonic_clock() {
  using std::chrono::steady_clock;
  return [start = steady_clock::now()] {
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - start);
    return svmrt::Picoseconds(static_cast<std::uint64_t>(passed.count()) * 1000);
  };
}

}  // namespace svmsim
