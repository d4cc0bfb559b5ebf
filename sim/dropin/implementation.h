// SPDX-License-Identifier: Apache-2.0
// The functions behind the symbols of the drop-in libraries, by their C prototypes (hicann/driver ef377e9 and
// hicann/runtime 681ef76). Any argument may be anything: an out pointer that cannot be written counts as null.
// Thread-safe. A child forked after the first call owns nothing: see docs/drop-in.md for what it is answered.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
#pragma GCC visibility push(default)

// libascend_hal.so; codes of svmrt::DriverCode.
std::int32_t svmsim_halHostRegister(void* source, std::uint64_t size, std::uint32_t flag, std::uint32_t device_id,
                                    void** destination);
std::int32_t svmsim_halHostUnregister(void* source, std::uint32_t device_id);
std::int32_t svmsim_halHostUnregisterEx(void* source, std::uint32_t device_id, std::uint32_t flag);
// Its prototype is not settled by what is public; programs only test whether it is there. Looks at no argument and
// answers 65534.
std::int32_t svmsim_halHostRegisterCapabilities();
std::int32_t svmsim_halMemHostGetDevPointer(void* source, std::uint32_t device_id, void** destination);
std::int32_t svmsim_halMemAlloc(void** address, unsigned long long size, unsigned long long flag);
std::int32_t svmsim_halMemFree(void* address);
std::int32_t svmsim_halMemAgentOpen(std::uint32_t device_id, std::uint32_t flag);
std::int32_t svmsim_halMemCtl(std::int32_t type, void* in, std::size_t in_size, void* out, std::size_t* out_size);
bool svmsim_halSupportFeature(std::uint32_t device_id, std::int32_t type);
// Simulated time that the calls of this process have taken, in whole nanoseconds, rounded down.
std::uint64_t svmsim_svmsim_now_ns();

// libascendcl.so; codes of svmsim::AclCode.
std::int32_t svmsim_aclInit(const char* config_path);
std::int32_t svmsim_aclFinalize();
std::int32_t svmsim_aclrtSetDevice(std::int32_t device_id);
std::int32_t svmsim_aclrtResetDevice(std::int32_t device_id);
std::int32_t svmsim_aclrtMalloc(void** device, std::size_t size, std::uint32_t policy);
std::int32_t svmsim_aclrtMallocAlign32(void** device, std::size_t size, std::uint32_t policy);
std::int32_t svmsim_aclrtFree(void* device);
std::int32_t svmsim_aclrtMemcpy(void* to, std::size_t capacity, const void* from, std::size_t count,
                                std::uint32_t kind);
std::int32_t svmsim_aclrtMemset(void* to, std::size_t capacity, std::int32_t value, std::size_t count);
std::int32_t svmsim_aclrtMallocHost(void** host, std::size_t size);
std::int32_t svmsim_aclrtFreeHost(void* host);
std::int32_t svmsim_aclrtHostRegister(void* host, std::uint64_t size, std::uint32_t type, void** device);
std::int32_t svmsim_aclrtHostRegisterV2(void* host, std::uint64_t size, std::uint32_t flags);
std::int32_t svmsim_aclrtHostUnregister(void* host);
std::int32_t svmsim_aclrtHostGetDevicePointer(void* host, void** device, std::uint32_t flag);
const char* svmsim_aclrtGetSocName();
std::int32_t svmsim_aclrtGetLastError(std::int32_t level);
std::int32_t svmsim_aclrtGetLogicDevIdByUserDevId(std::int32_t user_device, std::int32_t* logic_device);

// libdrvdsmi_host.so; codes of svmrt::DriverCode. `length` counts the bytes of `text`; `*written` gets the length of
// the version without its zero.
std::int32_t svmsim_dsmi_get_version(std::int32_t device_id, char* text, std::uint32_t length, std::uint32_t* written);

#pragma GCC visibility pop
}
