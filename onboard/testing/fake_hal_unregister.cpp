// SPDX-License-Identifier: Apache-2.0
// Of a fake libascend_hal.so: the function that unmaps.
#include "onboard/testing/fake_board.h"
#include "runtime/driver_functions.h"

using svmsim::FakeBoard;

extern "C" {

svmrt::HalHostUnregister halHostUnregister;
std::int32_t halHostUnregister(void* src, std::uint32_t device_id) {
  return FakeBoard::instance().hal_unregister(src, device_id);
}

}  // extern "C"
