// SPDX-License-Identifier: Apache-2.0
// The table of functions that an orchestration calls, filled by the runtime, each called with the context that was
// bound with it. An orchestration shared object needs nothing else from its host. Thread-bound: a binding belongs
// to the thread that runs the entry point. After a fatal every entry but `log` is a no-op returning empty or 0.
#pragma once

#include <cstdint>

#include "pto_arg.h"

enum class Pto2LogLevel : std::uint8_t { kError, kWarn, kTiming, kInfo, kDebug };

// The tasks of a committed graph: consecutive, in the order of their submission.
class GraphSubmitResult {
 public:
  GraphSubmitResult() = default;
  GraphSubmitResult(PTO2TaskId first, std::uint32_t count) : first_(first), count_(count) {}
  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  // Invalid when there is none.
  PTO2TaskId first_task_id() const { return empty() ? PTO2TaskId::invalid() : first_; }
  PTO2TaskId task_id() const {  // the last one's
    return empty() ? PTO2TaskId::invalid() : PTO2TaskId::make(first_.ring(), first_.local() + count_ - 1);
  }

 private:
  PTO2TaskId first_;
  std::uint32_t count_ = 0;
};

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
  // The steps of a graph submission; see pto_graph.h.
  bool (*graph_begin)(void* context, std::uint64_t id);
  bool (*graph_prepare)(void* context, const GraphTaskArgs* args);
  void (*graph_abort)(void* context);
  bool (*graph_end)(void* context);
  GraphSubmitResult (*graph_commit)(void* context);
};
