// SPDX-License-Identifier: Apache-2.0
// Kernels that treat every element alike. Block i of n does the i-th n-th of the elements. See README.md.
#pragma once

#include "sim/kernels/operands.h"

namespace svmsim {

KernelResult vector_add(const KernelCall& call);         // c = a + b
KernelResult vector_mul(const KernelCall& call);         // c = a * b
KernelResult vector_add_scalar(const KernelCall& call);  // b = a + s, or in place
KernelResult vector_mul_scalar(const KernelCall& call);  // b = a * s, or in place
KernelResult vector_relu(const KernelCall& call);        // b = max(a, 0), or in place
KernelResult tile_add(const KernelCall& call);           // c = c + a

}  // namespace svmsim
