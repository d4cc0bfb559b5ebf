/* SPDX-License-Identifier: Apache-2.0 */
/* Unusual manners, one per run. usage: hostile cancel|close_output|close_all|chdir|raise|threads_at_exit */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prototypes.h"

static void* block;
static void* view;

static int map_block(void) {
  if (halMemAlloc(&block, 2 * MIB, HUGE_FLAG) != 0) return 1;
  return halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view);
}

static void* call_for_ever(void* nothing) {
  (void)nothing;
  for (;;) {
    halHostUnregister(block, 0);
    halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "cancel") == 0) {
    pthread_cancel(pthread_self()); /* takes effect in the next function that allows it */
    if (map_block() != 0) return 1;
    _exit(42);
  }
  if (strcmp(how, "close_output") == 0) {
    close(STDOUT_FILENO);
    if (map_block() != 0) return 1;
    return write(STDOUT_FILENO, "text", 4) == -1 && *(char*)view == 0 ? 42 : 1;
  }
  if (strcmp(how, "close_all") == 0) {
    if (map_block() != 0 || halHostUnregister(block, 0) != 0) return 1;
    for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
    if (halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view) != 0) return 1;
    *(volatile char*)view = 7;
    return *(volatile char*)view == 7 && halHostUnregister(block, 0) == 0 && halMemFree(block) == 0 ? 42 : 1;
  }
  if (strcmp(how, "chdir") == 0) {
    if (map_block() != 0 || chdir("/") != 0) return 1;
    return halHostUnregister(block, 0) == 0 && halMemFree(block) == 0 ? 42 : 1;
  }
  if (strcmp(how, "raise") == 0) {
    if (map_block() != 0) return 1;
    raise(SIGSEGV);
    return 42;
  }
  if (strcmp(how, "threads_at_exit") == 0) {
    pthread_t thread;
    if (map_block() != 0 || pthread_create(&thread, NULL, call_for_ever, NULL) != 0) return 1;
    for (int i = 0; i < 1000; ++i) halSupportFeature(0, 2);
    return 42;
  }
  return 1;
}
