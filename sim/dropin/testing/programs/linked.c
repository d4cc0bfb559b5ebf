/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with both libraries: a block from the ACL layer, mapped by the driver call, written through the view. */
#include <stdio.h>
#include <string.h>

#include "prototypes.h"

int main(void) {
  void* block = NULL;
  void* view = NULL;
  char bytes[6] = "";
  printf("init %d\n", aclInit(NULL));
  printf("set %d\n", aclrtSetDevice(0));
  printf("malloc %d\n", aclrtMalloc(&block, 2 * MIB, 0));
  printf("register %d\n", halHostRegister(block, 2 * MIB, DEV_SVM_MAP_HOST, 0, &view));
  memcpy(view, "hello", sizeof bytes);
  printf("copy %d\n", aclrtMemcpy(bytes, sizeof bytes, block, sizeof bytes, 2));
  printf("bytes %s\n", bytes);
  printf("identical %d\n", view == block);
  printf("unregister -1 %d\n", halHostUnregister(block, -1));
  printf("unregister %d\n", halHostUnregister(block, 0));
  printf("free %d\n", aclrtFree(block));
  printf("reset %d\n", aclrtResetDevice(0));
  printf("finalize %d\n", aclFinalize());
  printf("time passed %d\n", svmsim_now_ns() > 0);
  return 0;
}
