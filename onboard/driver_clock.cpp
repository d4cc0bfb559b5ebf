// SPDX-License-Identifier: Apache-2.0
#include "onboard/driver_clock.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>

#include "onboard/driver_library.h"

namespace svmsim {

namespace {

constexpr std::uint64_t kLatest = std::numeric_limits<std::uint64_t>::max() / 1000;  // in picoseconds

// A time that nothing can be made of is no measurement, and a span to before its begin would be one of centuries.
[[noreturn]] void refuse(std::uint64_t before, std::uint64_t now) {
  std::fprintf(stderr,
               "the simulated driver's clock says %" PRIu64 " ns after %" PRIu64
               " ns; allowed: that or more, up to %" PRIu64 " ns\n",
               now, before, kLatest);
  std::abort();
}

// Asks from any thread; each later answer is no earlier.
class SimulatedClock {
 public:
  explicit SimulatedClock(std::uint64_t (*now_ns)()) : now_ns_(now_ns) {}

  svmrt::Picoseconds operator()() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t now = now_ns_();
    if (now < last_ || now > kLatest) refuse(last_, now);
    last_ = now;
    return svmrt::Picoseconds(now * 1000);
  }

 private:
  std::uint64_t (*now_ns_)();
  std::mutex mutex_;
  std::uint64_t last_ = 0;
};

}  // namespace

DriverClock driver_clock(const std::string& hal_library) {
  DriverLibrary library(hal_library);
  DriverFunction<std::uint64_t()> now_ns(library, "svmsim_now_ns");
  if (!now_ns.get()) return {monotonic_clock(), false};
  const auto clock = std::make_shared<SimulatedClock>(*now_ns.get());
  return {[clock] { return (*clock)(); }, true};
}

}  // namespace svmsim
