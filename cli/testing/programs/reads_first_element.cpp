// SPDX-License-Identifier: Apache-2.0
// Reads one element of its argument.
#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs&) {
  return {1};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& args) {
  const std::uint32_t first[] = {0};
  (void)get_tensor_data<float>(args.tensor(0).ref(), 1, first);
}

}  // extern "C"
