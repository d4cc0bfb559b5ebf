// SPDX-License-Identifier: Apache-2.0
// An orchestration that throws: with an argument a std::exception from its entry point, without one an int there and
// a std::exception from its config.
#include <stdexcept>

#include "runtime.h"

extern "C" {
__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& args) {
  LOG_INFO("config");
  if (args.scalar_count() == 0) throw std::runtime_error("no arguments");
  return PTO2OrchestrationConfig{1};
}
__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs& args) {
  if (args.scalar_count() == 0) throw 1;
  LOG_INFO("entry");
  throw std::runtime_error("no shape");
}
}
