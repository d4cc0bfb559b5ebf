// SPDX-License-Identifier: Apache-2.0
// The table of functions that an orchestration calls, filled by the runtime, each called with the context that was
// bound with it. An orchestration shared object needs nothing else from its host. Thread-bound: a binding belongs
// to the thread that runs the entry point. After a fatal every entry but `log` is a no-op returning empty or 0.
#pragma once

#include <cstdint>

#include "pto_arg.h"

enum class Pto2LogLevel : std::uint8_t { kError, kWarn, kTiming, kInfo, kDebug };

struct Pto2Ops {
  // One element as its bits, zero-extended; `indices` holds ndims numbers.
  std::uint64_t (*get_tensor_data)(void* context, const ChipTensor* tensor, std::uint32_t ndims,
                                   const std::uint32_t* indices);
  // Stores the low bytes of `bits`, as many as the dtype has.
  void (*set_tensor_data)(void* context, const ChipTensor* tensor, std::uint32_t ndims, const std::uint32_t* indices,
                          std::uint64_t bits);
  // `args` holds infos only.
  TaskOutputTensors (*alloc_tensors)(void* context, const CoreTaskArgs* args);
  // `kernels` null: a dummy task, ordering only. `call` names the caller's function in messages (a literal).
  TaskOutputTensors (*submit)(void* context, const char* call, const MixedKernels* kernels, const CoreTaskArgs* args);
  void (*scope_begin)(void* context, PTO2ScopeMode mode);
  void (*scope_end)(void* context);
  std::int32_t (*available_cluster_count)(void* context);
  std::int32_t (*available_aiv_count)(void* context);
  bool (*is_fatal)(void* context);
  void (*report_fatal)(void* context, std::int32_t code, const char* message);
  void (*log)(void* context, Pto2LogLevel level, const char* message);
};
