/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libascend_hal.so in main and leaves a mapping behind, or drops it in a handler registered before that.
   usage: loads_late leak|at_exit */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "prototypes.h"

static void* library;
static void* block;

static void drop_block(void) {
  ((int (*)(void*, uint32_t))dlsym(library, "halHostUnregister"))(block, 0);
  ((int (*)(void*))dlsym(library, "halMemFree"))(block);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "at_exit") == 0) atexit(drop_block);
  library = dlopen("libascend_hal.so", RTLD_NOW);
  if (library == NULL) return 3;
  void* view = NULL;
  ((int (*)(void**, unsigned long long, unsigned long long))dlsym(library, "halMemAlloc"))(&block, 2 * MIB, HUGE_FLAG);
  ((int (*)(void*, uint64_t, uint32_t, uint32_t, void**))dlsym(library, "halHostRegister"))(
      block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view);
  return 0;
}
