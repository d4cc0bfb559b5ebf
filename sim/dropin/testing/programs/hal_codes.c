/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of calls whose pointers or sizes are the library's own affair. */
#include <stdio.h>

#include "prototypes.h"

int halHostRegisterCapabilities(uint32_t, uint32_t, uint32_t*);
int halMemHostGetDevPointer(void* source, uint32_t device_id, void** destination) __attribute__((weak));

int main(void) {
  struct {
    uint64_t mask;
    uint32_t device_id;
    uint32_t padding;
  } in = {0x1a, 0, 0}, out = {99, 99, 99};
  size_t size = 24;
  void* block = NULL;
  void* view = NULL;
  uint32_t capabilities = 99;
  printf("agent 0 %d\n", halMemAgentOpen(0, 0));
  printf("agent 1 %d\n", halMemAgentOpen(0, 1));
  printf("agent device 65 %d\n", halMemAgentOpen(65, 0));
  printf("agent device 66 %d\n", halMemAgentOpen(66, 0));
  printf("ctl null in %d\n", halMemCtl(2, NULL, 16, &out, &size));
  printf("ctl null out %d\n", halMemCtl(2, &in, 16, NULL, &size));
  printf("ctl null size %d\n", halMemCtl(2, &in, 16, &out, NULL));
  printf("ctl small in %d\n", halMemCtl(2, &in, 15, &out, &size));
  size = 15;
  printf("ctl small out %d\n", halMemCtl(2, &in, 16, &out, &size));
  printf("ctl untouched %d %d\n", (int)out.mask, (int)size);
  size = 24;
  printf("ctl %d\n", halMemCtl(2, &in, 16, &out, &size));
  printf("ctl mask %d size %d\n", (int)out.mask, (int)size);
  printf("ctl type 3 %d\n", halMemCtl(3, &in, 16, &out, &size));
  printf("capabilities %d %d\n", halHostRegisterCapabilities(0, 0, &capabilities), (int)capabilities);
  printf("alloc null %d\n", halMemAlloc(NULL, 2 * MIB, HUGE_FLAG));
  printf("alloc %d\n", halMemAlloc(&block, 2 * MIB, HUGE_FLAG));
  printf("register null %d\n", halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, NULL));
  printf("register null, type 7 %d\n", halHostRegister(block, 2 * MIB, 7, 0, NULL));
  printf("register size 0 %d\n", halHostRegister(block, 0, DEV_SVM_MAP_HOST, 0, &view));
  printf("register untouched %d\n", view == NULL);
  if (halMemHostGetDevPointer) {
    printf("pointer before the feature call %d\n", halMemHostGetDevPointer(block, 0, &view));
    printf("feature 11 %d\n", halSupportFeature(0, 11));
    printf("pointer %d\n", halMemHostGetDevPointer(block, 0, &view));
    printf("pointer to null %d\n", halMemHostGetDevPointer(block, 0, NULL));
    printf("pointer null %d\n", halMemHostGetDevPointer(NULL, 0, &view));
    printf("pointer device 66 %d\n", halMemHostGetDevPointer(block, 66, &view));
  }
  printf("unregister ex %d\n", halHostUnregisterEx(block, 0, DEV_SVM_MAP_HOST));
  printf("unregister ex type 4 %d\n", halHostUnregisterEx(block, 0, 4));
  printf("unregister ex type 7 %d\n", halHostUnregisterEx(block, 0, 7));
  printf("free interior %d\n", halMemFree((char*)block + 4096));
  printf("free %d\n", halMemFree(block));
  printf("free again %d\n", halMemFree(block));
  printf("free null %d\n", halMemFree(NULL));
  return 0;
}
