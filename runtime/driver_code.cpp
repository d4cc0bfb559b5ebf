// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver_code.h"

namespace svmrt {

std::string_view driver_code_name(DriverCode code) {
  switch (code) {
    case DriverCode::kNone:
      return "NONE";
    case DriverCode::kNoDevice:
      return "NO_DEVICE";
    case DriverCode::kInvalidDevice:
      return "INVALID_DEVICE";
    case DriverCode::kInvalidValue:
      return "INVALID_VALUE";
    case DriverCode::kInvalidHandle:
      return "INVALID_HANDLE";
    case DriverCode::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case DriverCode::kInnerErr:
      return "INNER_ERR";
    case DriverCode::kParaError:
      return "PARA_ERROR";
    case DriverCode::kUninit:
      return "UNINIT";
    case DriverCode::kRepeatedInit:
      return "REPEATED_INIT";
    case DriverCode::kNotExist:
      return "NOT_EXIST";
    case DriverCode::kRepeatedUserd:
      return "REPEATED_USERD";
    case DriverCode::kBusy:
      return "BUSY";
    case DriverCode::kNoResources:
      return "NO_RESOURCES";
    case DriverCode::kWaitTimeout:
      return "WAIT_TIMEOUT";
    case DriverCode::kIoctlFail:
      return "IOCRL_FAIL";
    case DriverCode::kClientBusy:
      return "CLIENT_BUSY";
    case DriverCode::kOverLimit:
      return "OVER_LIMIT";
    case DriverCode::kFileOps:
      return "FILE_OPS";
    case DriverCode::kProcessExit:
      return "PROCESS_EXIT";
    case DriverCode::kOperNotPermitted:
      return "OPER_NOT_PERMITTED";
    case DriverCode::kTryAgain:
      return "TRY_AGAIN";
    case DriverCode::kNoProcess:
      return "NO_PROCESS";
    case DriverCode::kNotSupport:
      return "NOT_SUPPORT";
    case DriverCode::kLibraryNotLoaded:
      return "LIBRARY_NOT_LOADED";
    case DriverCode::kSymbolMissing:
      return "SYMBOL_MISSING";
    case DriverCode::kAclDriverError:
      return "ACL_DRIVER_ERROR";
  }
  return "UNKNOWN";
}

}  // namespace svmrt
