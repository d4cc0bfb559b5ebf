// SPDX-License-Identifier: Apache-2.0
// The four kernels of paged attention with one key head: scores of a tile of query heads against one block of the
// cache, softmax of the block, weighted values, and the update of the running result. See README.md.
#pragma once

#include "sim/kernels/operands.h"

namespace svmsim {

KernelResult qk_matmul(const KernelCall& call);
KernelResult softmax_prepare(const KernelCall& call);
KernelResult pv_matmul(const KernelCall& call);
KernelResult online_update(const KernelCall& call);

}  // namespace svmsim
