// SPDX-License-Identifier: Apache-2.0
// Maps device memory into the host through halHostRegister and halHostUnregister of libascend_hal.so, which is loaded
// when the first of them is needed. Thread-compatible.
#pragma once

#include <cstdint>
#include <string>

#include "onboard/driver_library.h"
#include "runtime/driver_functions.h"
#include "runtime/units.h"

namespace svmsim {

class HostMap {
 public:
  explicit HostMap(std::string library) : library_(std::move(library)) {}

  [[nodiscard]] const char* register_name() const { return register_.name(); }
  [[nodiscard]] const char* unregister_name() const { return unregister_.name(); }

  // `device`: the driver's own id. On success *host is the mapping of [base, base + size). Nothing is registered when
  // halHostUnregister is not there: such a mapping could not be dropped before its memory is freed.
  [[nodiscard]] LibraryAnswer register_range(std::uint32_t device, svmrt::DeviceAddr base, svmrt::Bytes size,
                                             void** host);
  // Takes the device address that was registered.
  [[nodiscard]] LibraryAnswer unregister(std::uint32_t device, svmrt::DeviceAddr base);

 private:
  DriverLibrary library_;
  DriverFunction<svmrt::HalHostRegister> register_{library_, "halHostRegister"};
  DriverFunction<svmrt::HalHostUnregister> unregister_{library_, "halHostUnregister"};
};

}  // namespace svmsim
