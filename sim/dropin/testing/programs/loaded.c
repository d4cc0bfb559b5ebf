/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libascend_hal.so, maps a block, closes the library, loads it again and goes on where it was.
   usage: loaded now|local|nodelete */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "prototypes.h"

typedef int (*Alloc)(void**, unsigned long long, unsigned long long);
typedef int (*Free)(void*);
typedef int (*Register)(void*, uint64_t, uint32_t, uint32_t, void**);
typedef int (*Unregister)(void*, uint32_t);

static void* open_library(const char* how) {
  int flags = RTLD_NOW;
  if (strcmp(how, "local") == 0) flags |= RTLD_LOCAL;
  if (strcmp(how, "nodelete") == 0) flags |= RTLD_NODELETE;
  void* const library = dlopen("libascend_hal.so", flags);
  if (library == NULL) printf("%s\n", dlerror());
  return library;
}

int main(int argc, char** argv) {
  void* library = open_library(argc > 1 ? argv[1] : "now");
  if (library == NULL) return 1;
  void* block = NULL;
  void* view = NULL;
  printf("alloc %d\n", ((Alloc)dlsym(library, "halMemAlloc"))(&block, 2 * MIB, HUGE_FLAG));
  printf("register %d\n",
         ((Register)dlsym(library, "halHostRegister"))(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view));
  *(char*)view = 'x';
  printf("close %d\n", dlclose(library));
  library = open_library(argc > 1 ? argv[1] : "now");
  if (library == NULL) return 1;
  printf("byte %c\n", *(char*)view);
  printf("register again %d\n",
         ((Register)dlsym(library, "halHostRegister"))(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view));
  printf("unregister %d\n", ((Unregister)dlsym(library, "halHostUnregister"))(block, 0));
  printf("unregister again %d\n", ((Unregister)dlsym(library, "halHostUnregister"))(block, 0));
  printf("free %d\n", ((Free)dlsym(library, "halMemFree"))(block));
  return 0;
}
