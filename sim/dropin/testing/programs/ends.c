/* SPDX-License-Identifier: Apache-2.0 */
/* Maps a block and ends in one of several ways. usage: ends HOW [STATUS] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prototypes.h"

static void* block;

static void drop_block(void) {
  halHostUnregister(block, 0);
  halMemFree(block);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  const int status = argc > 2 ? atoi(argv[2]) : 0;
  void* view = NULL;
  printf("began\n");
  if (strcmp(how, "uncalled") == 0) return status;
  if (strcmp(how, "at_exit") == 0) atexit(drop_block);
  halMemAlloc(&block, 2 * MIB, HUGE_FLAG);
  halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view);
  if (strcmp(how, "clean") == 0) drop_block();
  if (strcmp(how, "free_mapped") == 0) printf("free %d\n", halMemFree(block));
  if (strcmp(how, "touch_unmapped") == 0) {
    halHostUnregister(block, 0);
    *(volatile char*)view = 1;
    printf("touched\n");
  }
  if (strcmp(how, "touch_mapped") == 0) {
    *(volatile char*)view = 1;
    printf("touched\n");
    drop_block();
  }
  if (strcmp(how, "_exit") == 0) _exit(status);
  return status;
}
