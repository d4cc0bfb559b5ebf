/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs know of the libraries: prototypes as programs declare them for themselves, with the device id
   as int here and there. */
#ifndef SVMSIM_PROTOTYPES_H
#define SVMSIM_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUGE_FLAG 0x2100000000924400ull     /* what aclrtMalloc passes for huge pages of device 0 */
#define ORDINARY_FLAG 0x2100000000904400ull /* and for ordinary ones */
#define DEV_SVM_MAP_HOST 2u
#define MIB (1ull << 20)

int halHostRegister(void* source, uint64_t size, uint32_t flag, int device_id, void** destination);
int halHostUnregister(void* source, int device_id);
int halHostUnregisterEx(void* source, uint32_t device_id, uint32_t flag);
int halMemAlloc(void** address, unsigned long long size, unsigned long long flag);
int halMemFree(void* address);
int halMemAgentOpen(uint32_t device_id, uint32_t flag);
int halMemCtl(int type, void* in, size_t in_size, void* out, size_t* out_size);
bool halSupportFeature(uint32_t device_id, int type);
uint64_t svmsim_now_ns(void);

int aclInit(const char* config_path);
int aclFinalize(void);
int aclrtSetDevice(int32_t device_id);
int aclrtResetDevice(int32_t device_id);
int aclrtMalloc(void** device, size_t size, int policy);
int aclrtMallocAlign32(void** device, size_t size, int policy);
int aclrtFree(void* device);
int aclrtMemcpy(void* to, size_t capacity, const void* from, size_t count, int kind);
int aclrtMemset(void* to, size_t capacity, int32_t value, size_t count);
int aclrtMallocHost(void** host, size_t size);
int aclrtFreeHost(void* host);
int aclrtHostRegister(void* host, uint64_t size, int type, void** device);
int aclrtHostRegisterV2(void* host, uint64_t size, uint32_t flags);
int aclrtHostUnregister(void* host);
int aclrtHostGetDevicePointer(void* host, void** device, uint32_t flag);
const char* aclrtGetSocName(void);
int aclrtGetLastError(int level);
int aclrtGetLogicDevIdByUserDevId(int32_t user_device, int32_t* logic_device);

int dsmi_get_version(int device_id, char* text, unsigned int length, unsigned int* written);

#endif
