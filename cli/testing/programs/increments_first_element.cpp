// SPDX-License-Identifier: Apache-2.0
// Adds one to the first element of its argument, and fails when it did so before.
#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs&) {
  return {1};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& args) {
  const std::uint32_t first[] = {0};
  const ChipTensor& tensor = args.tensor(0).ref();
  const float value = get_tensor_data<float>(tensor, 1, first);
  if (value != 0.0F) rt_report_fatal(PTO2_ERROR_EXPLICIT_ORCH_FATAL, "the element was %f", static_cast<double>(value));
  set_tensor_data<float>(tensor, 1, first, value + 1.0F);
}

}  // extern "C"
