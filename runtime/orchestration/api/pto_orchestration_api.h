// SPDX-License-Identifier: Apache-2.0
// What an orchestration includes: the functions and macros that build a task graph and read and write tensor bytes
// on the host. Each forwards to the table that the host binds, per thread, with pto2_bind_orchestration before it
// calls aicpu_orchestration_entry; unbound, every call is a no-op that returns empty or 0.
//
// Everything is defined here and hidden, except pto2_bind_orchestration: a shared object built from any number of
// sources has exactly one binding, shares it with no other shared object, needs no symbol of the host program, and
// can be unloaded (a default-visible inline variable would be a unique symbol, which g++ pins for the process).
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "pto_arg.h"
#include "pto_arg_with_deps.h"
#include "pto_binding.h"
#include "pto_graph.h"
#include "pto_ops.h"
#include "pto_types.h"

#pragma GCC visibility push(hidden)

template <typename T = std::uint64_t>
inline T get_tensor_data(const ChipTensor& tensor, std::uint32_t ndims, const std::uint32_t indices[]) {
  const Pto2Binding& bound = pto2_binding;
  return from_u64<T>(bound.ops == nullptr ? 0 : bound.ops->get_tensor_data(bound.context, &tensor, ndims, indices));
}

template <typename T = std::uint64_t>
inline void set_tensor_data(const ChipTensor& tensor, std::uint32_t ndims, const std::uint32_t indices[], T value) {
  const Pto2Binding& bound = pto2_binding;
  if (bound.ops != nullptr) bound.ops->set_tensor_data(bound.context, &tensor, ndims, indices, to_u64(value));
}

// Creates tensors in the runtime heap: a hidden task, completed inline.
inline TaskOutputTensors alloc_tensors(const CoreTaskArgs& args) {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops == nullptr ? TaskOutputTensors() : bound.ops->alloc_tensors(bound.context, &args);
}
inline TaskOutputTensors alloc_tensors(const TensorCreateInfo infos[], std::uint32_t count) {
  CoreTaskArgs args;
  for (std::uint32_t i = 0; i < count; ++i) args.add_output(infos[i]);
  return alloc_tensors(args);
}
template <typename... Infos>
inline TaskOutputTensors alloc_tensors(const TensorCreateInfo& first, const Infos&... others) {
  CoreTaskArgs args;
  args.add_output(first, others...);
  return alloc_tensors(args);
}

inline TaskOutputTensors pto2_submit(const char* call, const MixedKernels* kernels, const CoreTaskArgs& args) {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops == nullptr ? TaskOutputTensors() : bound.ops->submit(bound.context, call, kernels, &args);
}
// Arguments with their own dependency list (CoreTaskArgsWithDeps) are CoreTaskArgs.
inline TaskOutputTensors rt_submit_task(const MixedKernels& kernels, const CoreTaskArgs& args) {
  return pto2_submit("rt_submit_task", &kernels, args);
}
inline TaskOutputTensors rt_submit_aic_task(std::int32_t func_id, const CoreTaskArgs& args) {
  const MixedKernels kernels{func_id, -1, -1};
  return pto2_submit("rt_submit_aic_task", &kernels, args);
}
inline TaskOutputTensors rt_submit_aiv_task(std::int32_t func_id, const CoreTaskArgs& args) {
  const MixedKernels kernels{-1, func_id, -1};
  return pto2_submit("rt_submit_aiv_task", &kernels, args);
}
inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs& args) {
  return pto2_submit("rt_submit_dummy_task", nullptr, args);
}

inline void rt_scope_begin(PTO2ScopeMode mode = PTO2ScopeMode::AUTO) {
  const Pto2Binding& bound = pto2_binding;
  if (bound.ops != nullptr) bound.ops->scope_begin(bound.context, mode);
}
inline void rt_scope_end() {
  const Pto2Binding& bound = pto2_binding;
  if (bound.ops != nullptr) bound.ops->scope_end(bound.context);
}

inline std::int32_t rt_available_cluster_count() {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops == nullptr ? 0 : bound.ops->available_cluster_count(bound.context);
}
inline std::int32_t rt_available_aiv_count() {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops == nullptr ? 0 : bound.ops->available_aiv_count(bound.context);
}

inline bool rt_is_fatal() {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops != nullptr && bound.ops->is_fatal(bound.context);
}

// Ends the run with status -code. Messages are cut at 1023 bytes.
__attribute__((format(printf, 2, 3))) inline void rt_report_fatal(std::int32_t code, const char* format, ...) {
  const Pto2Binding& bound = pto2_binding;
  if (bound.ops == nullptr) return;
  char message[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  bound.ops->report_fatal(bound.context, code, message);
}

__attribute__((format(printf, 2, 3))) inline void pto2_log(Pto2LogLevel level, const char* format, ...) {
  const Pto2Binding& bound = pto2_binding;
  if (bound.ops == nullptr) return;
  char message[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  bound.ops->log(bound.context, level, message);
}

class Pto2ScopeGuard {
 public:
  explicit Pto2ScopeGuard(PTO2ScopeMode mode = PTO2ScopeMode::AUTO) { rt_scope_begin(mode); }
  Pto2ScopeGuard(const Pto2ScopeGuard&) = delete;
  Pto2ScopeGuard& operator=(const Pto2ScopeGuard&) = delete;
  ~Pto2ScopeGuard() { rt_scope_end(); }
};

#pragma GCC visibility pop

// The host calls this on the thread that is about to run the entry point; null unbinds.
extern "C" {
__attribute__((visibility("default"), used)) inline void pto2_bind_orchestration(const Pto2Ops* ops, void* context) {
  pto2_binding.ops = ops;
  pto2_binding.context = context;
}
}

#define PTO2_CONCAT_IMPL(a, b) a##b
#define PTO2_CONCAT(a, b) PTO2_CONCAT_IMPL(a, b)
// A scope until the end of the enclosing block. The mode may be left out.
#define PTO2_SCOPE_GUARD(...) \
  [[maybe_unused]] const Pto2ScopeGuard PTO2_CONCAT(pto2_scope_guard_, __LINE__) { __VA_ARGS__ }
// A scope over the block that follows. The body is the else branch, so that an else after it stays its owner's.
#define PTO2_SCOPE(...)                                                                                     \
  if ([[maybe_unused]] const Pto2ScopeGuard PTO2_CONCAT(pto2_scope_guard_, __LINE__){__VA_ARGS__}; false) { \
  } else

#define LOG_ERROR(...) pto2_log(Pto2LogLevel::kError, __VA_ARGS__)
#define LOG_WARN(...) pto2_log(Pto2LogLevel::kWarn, __VA_ARGS__)
#define LOG_TIMING(...) pto2_log(Pto2LogLevel::kTiming, __VA_ARGS__)
#define LOG_INFO(...) pto2_log(Pto2LogLevel::kInfo, __VA_ARGS__)
#define LOG_DEBUG(...) pto2_log(Pto2LogLevel::kDebug, __VA_ARGS__)
