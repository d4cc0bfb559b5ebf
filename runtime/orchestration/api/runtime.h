// SPDX-License-Identifier: Apache-2.0
// The name under which some orchestrations include pto_orchestration_api.h. Thread-bound, like it.
#pragma once

#include "pto_orchestration_api.h"
