/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that allocate, map, write, copy, unmap and free, each its own blocks. Exit code 1 when any call fails or any
   byte differs. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "prototypes.h"

enum { kThreads = 6, kRounds = 200 };

static atomic_int failures;

static void expect(int condition) {
  if (!condition) atomic_fetch_add(&failures, 1);
}

static void* work(void* number) {
  const char mark = (char)(1 + *(const int*)number);
  expect(aclrtSetDevice(0) == 0);
  for (int round = 0; round < kRounds; ++round) {
    void* block = NULL;
    void* view = NULL;
    char byte = 0;
    if (aclrtMalloc(&block, 2 * MIB, 0) != 0 ||
        halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view) != 0) {
      expect(0);
      break;
    }
    *(char*)view = mark;
    expect(aclrtMemcpy(&byte, 1, block, 1, 2) == 0 && byte == mark);
    expect(aclrtFree(NULL) != 0 && aclrtGetLastError(0) != 0 && aclrtGetLastError(0) == 0);
    expect(halHostUnregister(block, 0) == 0);
    expect(aclrtFree(block) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, work, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("failures %d\n", atomic_load(&failures));
  return atomic_load(&failures) == 0 ? 0 : 1;
}
