// SPDX-License-Identifier: Apache-2.0
// The table that the host bound on this thread. Hidden: one per shared object; see pto_orchestration_api.h.
#pragma once

#include "pto_ops.h"

#pragma GCC visibility push(hidden)

struct Pto2Binding {
  const Pto2Ops* ops = nullptr;
  void* context = nullptr;
};
inline thread_local Pto2Binding pto2_binding;

#pragma GCC visibility pop
