// SPDX-License-Identifier: Apache-2.0
#include "onboard/driver_clock.h"

#include <cstdint>

#include "onboard/driver_library.h"

namespace svmsim {

DriverClock driver_clock(const std::string& hal_library) {
  DriverLibrary library(hal_library);
  DriverFunction<std::uint64_t()> now_ns(library, "svmsim_now_ns");
  if (!now_ns.get()) return {monotonic_clock(), false};
  return {[now = *now_ns.get()] { return svmrt::Picoseconds(now() * 1000); }, true};
}

}  // namespace svmsim
