// SPDX-License-Identifier: Apache-2.0
// The functions that the drop-in libraries export, one list per library: each calls SYMBOL with the name as programs
// know it. Behind a name stands svmsim_NAME in libsvmsim_process.so. Macros only.
#pragma once

#define SVMSIM_ASCEND_HAL_SYMBOLS(SYMBOL) \
  SYMBOL(halHostRegister)                 \
  SYMBOL(halHostUnregister)               \
  SYMBOL(halHostUnregisterEx)             \
  SYMBOL(halHostRegisterCapabilities)     \
  SYMBOL(halMemHostGetDevPointer)         \
  SYMBOL(halMemAlloc)                     \
  SYMBOL(halMemFree)                      \
  SYMBOL(halMemAgentOpen)                 \
  SYMBOL(halMemCtl)                       \
  SYMBOL(halSupportFeature)               \
  SYMBOL(svmsim_now_ns)

#define SVMSIM_ASCENDCL_SYMBOLS(SYMBOL) \
  SYMBOL(aclInit)                       \
  SYMBOL(aclFinalize)                   \
  SYMBOL(aclrtSetDevice)                \
  SYMBOL(aclrtResetDevice)              \
  SYMBOL(aclrtMalloc)                   \
  SYMBOL(aclrtMallocAlign32)            \
  SYMBOL(aclrtFree)                     \
  SYMBOL(aclrtMemcpy)                   \
  SYMBOL(aclrtMemset)                   \
  SYMBOL(aclrtMallocHost)               \
  SYMBOL(aclrtFreeHost)                 \
  SYMBOL(aclrtHostRegister)             \
  SYMBOL(aclrtHostRegisterV2)           \
  SYMBOL(aclrtHostUnregister)           \
  SYMBOL(aclrtHostGetDevicePointer)     \
  SYMBOL(aclrtGetSocName)               \
  SYMBOL(aclrtGetLastError)             \
  SYMBOL(aclrtGetLogicDevIdByUserDevId)

#define SVMSIM_DRVDSMI_HOST_SYMBOLS(SYMBOL) SYMBOL(dsmi_get_version)
