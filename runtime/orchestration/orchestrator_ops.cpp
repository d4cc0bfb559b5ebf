// SPDX-License-Identifier: Apache-2.0
// The function table of the public interface over an Orchestrator.
#include "runtime/orchestration/orchestrator.h"

namespace svmrt {

struct Orchestrator::Table {
  static Orchestrator& self(void* context) { return *static_cast<Orchestrator*>(context); }

  static std::uint64_t get_tensor_data(void* context, const ChipTensor* tensor, std::uint32_t ndims,
                                       const std::uint32_t* indices) {
    return self(context).is_fatal() ? 0 : self(context).io_.get(*tensor, ndims, indices);
  }
  static void set_tensor_data(void* context, const ChipTensor* tensor, std::uint32_t ndims,
                              const std::uint32_t* indices, std::uint64_t bits) {
    if (!self(context).is_fatal()) self(context).io_.set(*tensor, ndims, indices, bits);
  }
  static TaskOutputTensors alloc_tensors(void* context, const CoreTaskArgs* args) {
    return self(context).is_fatal() ? TaskOutputTensors() : self(context).alloc(*args);
  }
  static TaskOutputTensors submit(void* context, const char* call, const MixedKernels* kernels,
                                  const CoreTaskArgs* args) {
    return self(context).is_fatal() ? TaskOutputTensors() : self(context).submit(call, kernels, *args);
  }
  static void scope_begin(void* context, PTO2ScopeMode mode) {
    if (!self(context).is_fatal()) self(context).scope_begin(mode);
  }
  static void scope_end(void* context) {
    if (!self(context).is_fatal()) self(context).scope_end();
  }
  static bool graph_begin(void* context, std::uint64_t id) {
    return !self(context).is_fatal() && self(context).graph_begin(id);
  }
  static bool graph_prepare(void* context, const GraphTaskArgs* args) {
    return !self(context).is_fatal() && self(context).graph_prepare(*args);
  }
  static void graph_abort(void* context) {
    if (!self(context).is_fatal()) self(context).graph_abort();
  }
  static bool graph_end(void* context) { return !self(context).is_fatal() && self(context).graph_end(); }
  static GraphSubmitResult graph_commit(void* context) {
    return self(context).is_fatal() ? GraphSubmitResult() : self(context).graph_commit();
  }
  static std::int32_t available_cluster_count(void* context) {
    return self(context).is_fatal() ? 0 : self(context).config_.cluster_count;
  }
  static std::int32_t available_aiv_count(void* context) {
    return self(context).is_fatal() ? 0 : self(context).config_.aiv_count;
  }
  static bool is_fatal(void* context) { return self(context).is_fatal(); }
  static void report_fatal(void* context, std::int32_t code, const char* message) {
    // A number that means success, or that has no negative status, still ends the run.
    self(context).report_.raise(code > 0 ? code : PTO2_ERROR_EXPLICIT_ORCH_FATAL, message);
  }
  static void log(void* context, Pto2LogLevel level, const char* message) { self(context).report_.log(level, message); }

  static constexpr Pto2Ops kOps = {
      &get_tensor_data,         &set_tensor_data,     &alloc_tensors, &submit,       &scope_begin, &scope_end,
      &available_cluster_count, &available_aiv_count, &is_fatal,      &report_fatal, &log,         &graph_begin,
      &graph_prepare,           &graph_abort,         &graph_end,     &graph_commit,
  };
};

const Pto2Ops& Orchestrator::ops() const { return Table::kOps; }

}  // namespace svmrt
