// SPDX-License-Identifier: Apache-2.0
// An orchestration of two sources that logs a line from each. PROGRAM_NAME tells its builds apart.
#include "two_sources.h"

extern "C" {
__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs&) {
  return PTO2OrchestrationConfig{2};
}
__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& args) {
  LOG_INFO("%s: entry %d", PROGRAM_NAME, static_cast<int>(args.scalar(0)));
  log_from_helper();
}
}
