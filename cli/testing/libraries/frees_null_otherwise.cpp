// SPDX-License-Identifier: Apache-2.0
// The drop-in driver but for one answer: a free of null says 8 and not 3 (P5). A process that leaves through its exit
// handlers ends with the code FAKE_EXIT, if there is one.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "sim/conformance/testing/libraries/fake_library.h"

namespace {

template <typename Function>
Function* real(const char* name) {
  static void* const library = dlopen(SVMSIM_DROPIN_HAL, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

[[gnu::destructor]] void leave() {
  if (const char* const code = std::getenv("FAKE_EXIT")) _exit(std::atoi(code));
}

}  // namespace

int halMemAlloc(void** pp, unsigned long long size, unsigned long long flag) {
  return real<int(void**, unsigned long long, unsigned long long)>("halMemAlloc")(pp, size, flag);
}
int halMemFree(void* pp) { return pp == nullptr ? 8 : real<int(void*)>("halMemFree")(pp); }
int halHostRegister(void* src, std::uint64_t size, std::uint32_t flag, std::uint32_t device_id, void** dst) {
  using Function = int(void*, std::uint64_t, std::uint32_t, std::uint32_t, void**);
  return real<Function>("halHostRegister")(src, size, flag, device_id, dst);
}
int halHostUnregister(void* src, std::uint32_t device_id) {
  return real<int(void*, std::uint32_t)>("halHostUnregister")(src, device_id);
}
int halHostUnregisterEx(void* src, std::uint32_t device_id, std::uint32_t flag) {
  return real<int(void*, std::uint32_t, std::uint32_t)>("halHostUnregisterEx")(src, device_id, flag);
}
bool halSupportFeature(std::uint32_t device_id, int type) {
  return real<bool(std::uint32_t, int)>("halSupportFeature")(device_id, type);
}
int halMemHostGetDevPointer(void* src, std::uint32_t device_id, void** dst) {
  return real<int(void*, std::uint32_t, void**)>("halMemHostGetDevPointer")(src, device_id, dst);
}
int halMemCtl(int type, void* in, std::size_t in_size, void* out, std::size_t* out_size) {
  return real<int(int, void*, std::size_t, void*, std::size_t*)>("halMemCtl")(type, in, in_size, out, out_size);
}
