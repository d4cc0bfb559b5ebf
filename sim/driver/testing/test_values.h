// SPDX-License-Identifier: Apache-2.0
// Values that the tests of driver rules name. Test code only.
#pragma once

#include <cstdint>

#include "sim/driver/hal_driver.h"
#include "sim/driver/span.h"

namespace svmsim {

inline constexpr Bytes kPage{4096};
inline constexpr Bytes k2MiB = times(2, kMiB);
inline constexpr DeviceAddr kHostAddress{0x7f0000000000};  // of ordinary host memory
inline constexpr DriverCode kOk = DriverCode::kNone;
inline constexpr DriverCode kPara = DriverCode::kParaError;
inline constexpr DriverCode kUnsupported = DriverCode::kNotSupport;

}  // namespace svmsim
