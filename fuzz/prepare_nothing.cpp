// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"

void svmsim::prepare_input() {}
