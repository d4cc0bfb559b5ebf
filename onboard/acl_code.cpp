// SPDX-License-Identifier: Apache-2.0
#include "onboard/acl_code.h"

namespace svmsim {

svmrt::DriverCode driver_code_of_acl(std::int32_t acl_code) {
  using svmrt::DriverCode;
  switch (acl_code) {
    case 107000:
      return DriverCode::kInvalidValue;
    case 107001:
      return DriverCode::kInvalidDevice;
    case 107017:
      return DriverCode::kInvalidHandle;
    case 207000:
      return DriverCode::kNotSupport;
    case 207001:
      return DriverCode::kOutOfMemory;
    case 207004:
      return DriverCode::kNoDevice;
    case 207005:
      return DriverCode::kNoResources;
    case 207006:
      return DriverCode::kOperNotPermitted;
    case 207012:
      return DriverCode::kOverLimit;
    case 507012:
      return DriverCode::kWaitTimeout;
    default:
      return DriverCode{acl_code};
  }
}

}  // namespace svmsim
