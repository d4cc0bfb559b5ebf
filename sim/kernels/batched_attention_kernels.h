// SPDX-License-Identifier: Apache-2.0
// The kernels of paged attention for all sequences at once: instance b of a task serves sequence b, with the block that
// the block table, read on the device, has for step n; one whose context ended before does nothing. See README.md.
#pragma once

#include "sim/kernels/operands.h"

namespace svmsim {

KernelResult batched_qk_matmul(const KernelCall& call);
KernelResult batched_softmax_prepare(const KernelCall& call);
KernelResult batched_pv_matmul(const KernelCall& call);
KernelResult batched_online_update(const KernelCall& call);

}  // namespace svmsim
