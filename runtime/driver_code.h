// SPDX-License-Identifier: Apache-2.0
// The driver's return codes (drvError, a 4-byte enum) that the runtime and the simulator meet. Numbers are those
// of the public CANN driver headers (hicann/driver, commit ef377e9). A real driver may answer any other number too.
// Value type.
#pragma once

#include <cstdint>
#include <string_view>

namespace svmrt {

enum class DriverCode : std::int32_t {
  kNone = 0,
  kNoDevice = 1,
  kInvalidDevice = 2,
  kInvalidValue = 3,
  kInvalidHandle = 4,
  kOutOfMemory = 6,
  kInnerErr = 7,
  kParaError = 8,
  kUninit = 9,
  kRepeatedInit = 10,
  kNotExist = 11,
  kRepeatedUserd = 12,
  kBusy = 13,
  kNoResources = 14,
  kWaitTimeout = 16,
  kIoctlFail = 17,
  kClientBusy = 23,
  kOverLimit = 37,
  kFileOps = 38,
  kProcessExit = 42,
  kOperNotPermitted = 46,
  kTryAgain = 51,
  kNoProcess = 62,
  kNotSupport = 65534,

  // Not the driver's: it was not asked, because its library, or the function in it, is not there.
  kLibraryNotLoaded = -2,
  kSymbolMissing = -3,
  // What the ACL runtime makes of PARA_ERROR, NOT_EXIST, BUSY, IOCRL_FAIL and others, which it does not tell apart.
  kAclDriverError = 507899,
};

// The driver's name for a code, without its prefix ("PARA_ERROR"); "UNKNOWN" for a number that is not in the list.
[[nodiscard]] std::string_view driver_code_name(DriverCode code);

[[nodiscard]] constexpr std::int32_t code_number(DriverCode code) { return static_cast<std::int32_t>(code); }

}  // namespace svmrt
