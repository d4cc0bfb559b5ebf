// SPDX-License-Identifier: Apache-2.0
#include "pto_orchestration_api.h"

extern "C" __attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs&) {}
