// SPDX-License-Identifier: Apache-2.0
// Return codes of the ACL layer (aclError, an int) and how it translates the driver's. Numbers are those of the public
// ACL runtime (hicann/runtime 681ef76). Pure, thread-safe.
#pragma once

#include <cstdint>

#include "runtime/driver_code.h"

namespace svmsim {

enum class AclCode : std::int32_t {
  kSuccess = 0,
  kInvalidParam = 100000,  // null or size 0, found before anybody is asked
  kUninitialized = 100001,
  kRepeatInitialize = 100002,
  kParamInvalid = 107000,
  kInvalidDevice = 107001,
  kNoDeviceSet = 107002,
  kInvalidHandle = 107017,
  kNotSupported = 207000,
  kOutOfMemory = 207001,
  kNoDevice = 207004,
  kNoResources = 207005,
  kNoPermission = 207006,
  kOverLimit = 207012,
  kTimeout = 507012,
  kDriverError = 507899,
  kHostMemoryRegistered = 507910,
  kHostMemoryNotRegistered = 507911,
};

[[nodiscard]] constexpr std::int32_t code_number(AclCode code) { return static_cast<std::int32_t>(code); }

// What an ACL call returns when the driver answered `code`. Assumption: codes that the runtime's table does not name
// are driver errors, 507899.
[[nodiscard]] AclCode acl_code(svmrt::DriverCode code);

}  // namespace svmsim
