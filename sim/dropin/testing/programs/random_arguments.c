/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every function with arguments out of a list of bad ones, among a few good ones. Exit code 0 unless a call ends
   the process. usage: random_arguments SEED */
#define _DEFAULT_SOURCE /* mincore */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "prototypes.h"

int halMemHostGetDevPointer(void* source, uint32_t device_id, void** destination) __attribute__((weak));
int halHostRegisterCapabilities(uint32_t, uint32_t, uint32_t*) __attribute__((weak));

static uint64_t state;
static void* good_block;
static void* constant_page; /* readable only */
static void* closed_page;   /* neither */
static char* buffer;        /* a page of its own */

/* SplitMix64. */
static uint64_t draw(uint64_t limit) {
  uint64_t x = (state += 0x9e3779b97f4a7c15u);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 31)) % limit;
}

/* Addresses where device memory lies in a build without sanitizers. A sanitizer may keep its own memory there, which
   could be written but must not be. */
static void* unless_mapped(uintptr_t number) {
  static const uintptr_t kNumbers[] = {0x100000000000, 0x12c000000000, 0x180000000000};
  static bool known, mapped[3];
  for (int i = 0; !known && i < 3; ++i) {
    unsigned char resident;
    mapped[i] = mincore((void*)kNumbers[i], 4096, &resident) == 0;
  }
  known = true;
  for (int i = 0; i < 3; ++i) {
    if (kNumbers[i] == number && mapped[i]) return NULL;
  }
  return (void*)number;
}

static void* address(void) {
  void* const choices[] = {NULL,
                           (void*)1,
                           (void*)0xdead,
                           (void*)~(uintptr_t)0,
                           (void*)(~(uintptr_t)0 - 4095),
                           (void*)0x800000000000,
                           unless_mapped(0x100000000000),
                           unless_mapped(0x12c000000000),
                           unless_mapped(0x180000000000),
                           good_block,
                           (char*)good_block + 1,
                           (char*)good_block + 4096,
                           (char*)good_block + 2 * MIB,
                           constant_page,
                           closed_page,
                           buffer,
                           buffer + 1,
                           buffer + 4088,
                           buffer + 4095};
  return choices[draw(sizeof choices / sizeof *choices)];
}

static uint64_t size(void) {
  static const uint64_t kChoices[] = {0,    1,        15,       16,         31,         4095,
                                      4096, 4097,     1 << 20,  2 << 20,    3 << 20,    1ull << 30,
                                      1ull << 33, 1ull << 40, 1ull << 43, 1ull << 47, 1ull << 63, ~0ull - 31, ~0ull};
  return kChoices[draw(sizeof kChoices / sizeof *kChoices)];
}

static uint32_t number(void) {
  static const uint32_t kChoices[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 65, 66, 0xffff, 0x10002, 0x10000002, 0x7fffffff,
                                      0x80000000, 0xffffffff};
  return kChoices[draw(sizeof kChoices / sizeof *kChoices)];
}

static uint64_t alloc_flag(void) {
  switch (draw(4)) {
    case 0:
      return HUGE_FLAG;
    case 1:
      return ORDINARY_FLAG;
    case 2:
      return HUGE_FLAG ^ (1ull << draw(64));
    default:
      return draw(~0ull);
  }
}

static void call_one(void) {
  switch (draw(30)) {
    case 0: halHostRegister(address(), size(), number(), (int)number(), address()); break;
    case 1: halHostUnregister(address(), (int)number()); break;
    case 2: halHostUnregisterEx(address(), number(), number()); break;
    case 3: if (halMemHostGetDevPointer) halMemHostGetDevPointer(address(), number(), address()); break;
    case 4: halMemAlloc(address(), size(), alloc_flag()); break;
    case 5: halMemFree(address()); break;
    case 6: halMemAgentOpen(number(), number()); break;
    case 7: halMemCtl((int)number(), address(), size(), address(), address()); break;
    case 8: halSupportFeature(number(), (int)number()); break;
    case 9: halHostRegisterCapabilities(number(), number(), address()); break;
    case 10: aclInit(address()); break;
    case 11: aclFinalize(); break;
    case 12: aclrtSetDevice((int)number()); break;
    case 13: aclrtResetDevice((int)number()); break;
    case 14: aclrtMalloc(address(), size(), (int)number()); break;
    case 15: aclrtMallocAlign32(address(), size(), (int)number()); break;
    case 16: aclrtFree(address()); break;
    case 17: aclrtMemcpy(address(), size(), address(), size(), (int)number()); break;
    case 18: aclrtMemset(address(), size(), (int)number(), size()); break;
    case 19: aclrtMallocHost(address(), size()); break;
    case 20: aclrtFreeHost(address()); break;
    case 21: aclrtHostRegister(address(), size(), (int)number(), address()); break;
    case 22: aclrtHostRegisterV2(address(), size(), number()); break;
    case 23: aclrtHostUnregister(address()); break;
    case 24: aclrtHostGetDevicePointer(address(), address(), number()); break;
    case 25: aclrtGetSocName(); break;
    case 26: aclrtGetLastError((int)number()); break;
    case 27: aclrtGetLogicDevIdByUserDevId((int)number(), address()); break;
    case 28: dsmi_get_version((int)number(), address(), number(), address()); break;
    default: svmsim_now_ns(); break;
  }
}

int main(int argc, char** argv) {
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  constant_page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  closed_page = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  /* Between closed pages, so that a size that lies cannot reach the program's own memory. */
  buffer = (char*)closed_page + 4096;
  mprotect(buffer, 4096, PROT_READ | PROT_WRITE);
  unless_mapped(0); /* looks before the libraries map anything */
  aclrtSetDevice(0);
  halMemAlloc(&good_block, 4 * MIB, HUGE_FLAG);
  for (int i = 0; i < 5000; ++i) call_one();
  printf("survived\n");
  return 0;
}
