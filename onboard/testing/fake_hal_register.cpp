// SPDX-License-Identifier: Apache-2.0
// Of a fake libascend_hal.so: the function that maps.
#include "onboard/testing/fake_board.h"
#include "runtime/driver_functions.h"

using svmsim::FakeBoard;

extern "C" {

svmrt::HalHostRegister halHostRegister;
std::int32_t halHostRegister(void* src, std::uint64_t size, std::uint32_t flag, std::uint32_t device_id, void** dst) {
  return FakeBoard::instance().hal_register(src, size, flag, device_id, dst);
}

}  // extern "C"
