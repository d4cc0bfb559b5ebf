/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which functions are there, as a weak reference sees it and as dlsym does. One is needed for certain, since
   weak references alone do not keep a linker from leaving the library out. */
#include <dlfcn.h>
#include <stdio.h>

#define TELL(name) tell(#name, &name != NULL)

__attribute__((weak)) int halMemHostGetDevPointer(void*, unsigned, void**);
__attribute__((weak)) int halHostUnregisterEx(void*, unsigned, unsigned);
__attribute__((weak)) int halSupportFeature(unsigned, int);
__attribute__((weak)) int halHostRegisterCapabilities(unsigned, unsigned, unsigned*);
__attribute__((weak)) int halHostRegister(void*, unsigned long long, unsigned, unsigned, void**);
int halMemAgentOpen(unsigned device_id, unsigned flag);

static void tell(const char* name, int weakly) {
  printf("%s %d %d\n", name, weakly, dlsym(RTLD_DEFAULT, name) != NULL);
}

int main(void) {
  if (halMemAgentOpen(0, 0) != 0) return 1;
  TELL(halMemHostGetDevPointer);
  TELL(halHostUnregisterEx);
  TELL(halSupportFeature);
  TELL(halHostRegisterCapabilities);
  TELL(halHostRegister);
  return 0;
}
