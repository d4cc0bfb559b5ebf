// SPDX-License-Identifier: Apache-2.0
#include "two_sources.h"

void log_from_helper() { LOG_INFO("%s: helper", PROGRAM_NAME); }
