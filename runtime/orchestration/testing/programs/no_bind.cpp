// SPDX-License-Identifier: Apache-2.0
// Does not include the public header, which is what exports the binding.
#include "pto_arg.h"

extern "C" {
__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs&) {
  return PTO2OrchestrationConfig{0};
}
__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs&) {}
}
