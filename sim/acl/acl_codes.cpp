// SPDX-License-Identifier: Apache-2.0
#include "sim/acl/acl_codes.h"

namespace svmsim {

using svmrt::DriverCode;

AclCode acl_code(DriverCode code) {
  switch (code) {
    case DriverCode::kNone:
      return AclCode::kSuccess;
    case DriverCode::kNoDevice:
      return AclCode::kNoDevice;
    case DriverCode::kInvalidDevice:
      return AclCode::kInvalidDevice;
    case DriverCode::kInvalidValue:
      return AclCode::kParamInvalid;
    case DriverCode::kInvalidHandle:
      return AclCode::kInvalidHandle;
    case DriverCode::kOutOfMemory:
      return AclCode::kOutOfMemory;
    case DriverCode::kNoResources:
      return AclCode::kNoResources;
    case DriverCode::kWaitTimeout:
      return AclCode::kTimeout;
    case DriverCode::kOverLimit:
      return AclCode::kOverLimit;
    case DriverCode::kOperNotPermitted:
      return AclCode::kNoPermission;
    case DriverCode::kNotSupport:
      return AclCode::kNotSupported;
    default:
      return AclCode::kDriverError;
  }
}

}  // namespace svmsim
