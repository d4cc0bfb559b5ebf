// SPDX-License-Identifier: Apache-2.0
// A library that does not load: it needs a function that nobody has.
#include "runtime/driver_functions.h"

extern "C" {

svmrt::AclInit fakeFunctionThatNobodyHas;
svmrt::HalHostRegister halHostRegister;
svmrt::HalHostUnregister halHostUnregister;
svmrt::AclInit aclInit;

std::int32_t halHostRegister(void* /*src*/, std::uint64_t /*size*/, std::uint32_t /*flag*/, std::uint32_t /*device_id*/,
                             void** /*dst*/) {
  return fakeFunctionThatNobodyHas(nullptr);
}
std::int32_t halHostUnregister(void* /*src*/, std::uint32_t /*device_id*/) {
  return fakeFunctionThatNobodyHas(nullptr);
}
std::int32_t aclInit(const char* config_path) { return fakeFunctionThatNobodyHas(config_path); }

}  // extern "C"
