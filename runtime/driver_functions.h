// SPDX-License-Identifier: Apache-2.0
// The C functions of libascend_hal.so, libascendcl.so and libdrvdsmi_host.so that are called by name here, as they are
// declared in the public headers (hicann/driver ef377e9, hicann/runtime 681ef76): who loads a library casts what it
// finds to these. Types only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svmrt {

// libascend_hal.so; codes of DriverCode, device ids as the driver numbers them.
using HalMemAlloc = std::int32_t(void** pp, unsigned long long size, unsigned long long flag);
using HalMemFree = std::int32_t(void* pp);
using HalHostRegister = std::int32_t(void* src, std::uint64_t size, std::uint32_t flag, std::uint32_t device_id,
                                     void** dst);
using HalHostUnregister = std::int32_t(void* src, std::uint32_t device_id);
using HalHostUnregisterEx = std::int32_t(void* src, std::uint32_t device_id, std::uint32_t flag);
using HalMemHostGetDevPointer = std::int32_t(void* src, std::uint32_t device_id, void** dst);
using HalMemAgentOpen = std::int32_t(std::uint32_t device_id, std::uint32_t flag);
using HalMemCtl = std::int32_t(std::int32_t type, void* in, std::size_t in_size, void* out, std::size_t* out_size);
using HalSupportFeature = bool(std::uint32_t device_id, std::int32_t type);

// libascendcl.so; codes of its own, device ids as the process numbers the devices that it may see, from 0.
using AclInit = std::int32_t(const char* config_path);
using AclFinalize = std::int32_t();
using AclrtSetDevice = std::int32_t(std::int32_t device_id);
using AclrtResetDevice = std::int32_t(std::int32_t device_id);
using AclrtMalloc = std::int32_t(void** device, std::size_t size, std::uint32_t policy);
using AclrtFree = std::int32_t(void* device);
using AclrtMemcpy = std::int32_t(void* to, std::size_t capacity, const void* from, std::size_t count,
                                 std::uint32_t kind);
using AclrtMemset = std::int32_t(void* to, std::size_t capacity, std::int32_t value, std::size_t count);
// From an id of ACL calls to the driver's.
using AclrtGetLogicDevIdByUserDevId = std::int32_t(std::int32_t user_device, std::int32_t* logic_device);
using AclrtGetSocName = const char*();

// libdrvdsmi_host.so; codes of DriverCode, device ids as the driver numbers them. `written` counts without the zero.
using DsmiGetVersion = std::int32_t(std::int32_t device_id, char* text, std::uint32_t length, std::uint32_t* written);

}  // namespace svmrt
