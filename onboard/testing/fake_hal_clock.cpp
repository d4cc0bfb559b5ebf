// SPDX-License-Identifier: Apache-2.0
// Of a fake simulated libascend_hal.so: the clock, which says what FAKE_CLOCK_NS does.
#include <cstdint>
#include <cstdlib>

extern "C" {

std::uint64_t svmsim_now_ns();
std::uint64_t svmsim_now_ns() { return std::strtoull(std::getenv("FAKE_CLOCK_NS"), nullptr, 10); }

}  // extern "C"
