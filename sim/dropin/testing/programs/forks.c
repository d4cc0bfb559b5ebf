/* SPDX-License-Identifier: Apache-2.0 */
/* A parent with one mapped and one unmapped block, and what its child is answered. Threads of the parent keep calling
   while it forks again and again. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prototypes.h"

static atomic_int stop;

static void* keep_calling(void* nothing) {
  while (!atomic_load(&stop)) {
    void* block = NULL;
    if (halMemAlloc(&block, 4096, ORDINARY_FLAG) == 0) halMemFree(block);
  }
  return nothing;
}

static void ask_as_child(void* mapped, void* unmapped) {
  void* out = NULL;
  uint64_t features[2] = {0xff, 0};
  size_t size = sizeof features;
  printf("child register held %d\n", halHostRegister(mapped, 2 * MIB, DEV_SVM_MAP_HOST, 0, &out));
  printf("child register last page held %d\n",
         halHostRegister((char*)mapped + 2 * MIB - 4096, 4096, DEV_SVM_MAP_HOST, 0, &out));
  printf("child register around held %d\n",
         halHostRegister((char*)mapped - 4096, 2 * MIB + 8192, DEV_SVM_MAP_HOST, 0, &out));
  printf("child register other %d\n", halHostRegister(unmapped, 2 * MIB, DEV_SVM_MAP_HOST, 0, &out));
  printf("child register nowhere %d\n", halHostRegister(mapped, 2 * MIB, DEV_SVM_MAP_HOST, 0, NULL));
  printf("child alloc %d\n", halMemAlloc(&out, 2 * MIB, HUGE_FLAG));
  printf("child free %d\n", halMemFree(unmapped));
  printf("child unregister %d\n", halHostUnregister(mapped, 0));
  printf("child unregister ex %d\n", halHostUnregisterEx(mapped, 0, DEV_SVM_MAP_HOST));
  printf("child feature %d\n", halSupportFeature(0, 2));
  printf("child ctl %d\n", halMemCtl(2, features, sizeof features, features, &size));
  out = &size;
  printf("child acl %d\n", aclrtMalloc(&out, 4096, 0));
  printf("child out %d\n", out != NULL);
}

int main(void) {
  void* mapped = NULL;
  void* unmapped = NULL;
  void* view = NULL;
  halMemAlloc(&mapped, 2 * MIB, HUGE_FLAG);
  halMemAlloc(&unmapped, 2 * MIB, HUGE_FLAG);
  halHostRegister(mapped, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    ask_as_child(mapped, unmapped);
    exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  printf("child ended %d\n", status);

  pthread_t callers[3];
  for (int i = 0; i < 3; ++i) pthread_create(&callers[i], NULL, keep_calling, NULL);
  int failures = 0;
  for (int i = 0; i < 50; ++i) {
    child = fork();
    if (child == 0) _exit(halMemFree(mapped) == 3 ? 0 : 1);
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 3; ++i) pthread_join(callers[i], NULL);
  printf("failed children %d\n", failures);

  *(char*)view = 1;
  printf("parent unregister %d\n", halHostUnregister(mapped, 0));
  printf("parent free %d\n", halMemFree(mapped));
  printf("parent free %d\n", halMemFree(unmapped));
  return 0;
}
