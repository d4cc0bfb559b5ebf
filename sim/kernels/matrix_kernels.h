// SPDX-License-Identifier: Apache-2.0
// Matrix products, accumulated in float. See README.md.
#pragma once

#include "sim/kernels/operands.h"

namespace svmsim {

KernelResult matmul(const KernelCall& call);  // c = a b

}  // namespace svmsim
