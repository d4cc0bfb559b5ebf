/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for the driver's version in every way. usage: version LENGTH_OF_VERSION */
#include <stdio.h>
#include <stdlib.h>

#include "prototypes.h"

int main(int argc, char** argv) {
  const unsigned int length = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
  char text[300] = "untouched";
  unsigned int written = 77;
  printf("too small %d\n", dsmi_get_version(0, text, length, &written));
  printf("null text %d\n", dsmi_get_version(0, NULL, sizeof text, &written));
  printf("null length %d\n", dsmi_get_version(0, text, sizeof text, NULL));
  printf("bad device %d\n", dsmi_get_version(-1, text, sizeof text, &written));
  printf("%s %u\n", text, written);
  printf("fits %d\n", dsmi_get_version(0, text, length + 1, &written));
  printf("%s %u\n", text, written);
  return 0;
}
