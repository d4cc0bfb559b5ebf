// SPDX-License-Identifier: Apache-2.0
// The C interface of the driver (hicann/driver ef377e9) as far as wrong libraries for tests define it. Each defines
// some of it.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
int halMemAlloc(void** pp, unsigned long long size, unsigned long long flag);
int halMemFree(void* pp);
int halHostRegister(void* src, std::uint64_t size, std::uint32_t flag, std::uint32_t device_id, void** dst);
int halHostUnregister(void* src, std::uint32_t device_id);
int halHostUnregisterEx(void* src, std::uint32_t device_id, std::uint32_t flag);
bool halSupportFeature(std::uint32_t device_id, int type);
int halMemHostGetDevPointer(void* src, std::uint32_t device_id, void** dst);
int halMemCtl(int type, void* in, std::size_t in_size, void* out, std::size_t* out_size);
int halMemAgentOpen(std::uint32_t device_id, std::uint32_t flag);
}
