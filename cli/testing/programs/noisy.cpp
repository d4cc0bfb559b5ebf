// SPDX-License-Identifier: Apache-2.0
// Prints and logs, and does nothing else.
#include <cstdio>
#include <iostream>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs&) {
  return {1};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& args) {
  (void)args;
  std::printf("printed by printf\n");
  std::cout << "printed by cout" << std::endl;
  LOG_ERROR("logged as an error");
  LOG_INFO("logged as information");
}

}  // extern "C"
