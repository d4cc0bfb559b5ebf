// SPDX-License-Identifier: Apache-2.0
// What the two sources of the program share. Thread-bound.
#pragma once

#include "pto_orchestration_api.h"

void log_from_helper();
