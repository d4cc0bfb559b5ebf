// SPDX-License-Identifier: Apache-2.0
#include "pto_orchestration_api.h"

extern "C" __attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(
    const ChipTaskArgs&) {
  return PTO2OrchestrationConfig{0};
}
