// SPDX-License-Identifier: Apache-2.0
// Graph submission: the tasks that a function submits, as a unit that can be taken back until it is committed. Included
// by pto_orchestration_api.h. Thread-bound.
#pragma once

#include <cstdint>
#include <utility>

#include "pto_binding.h"

#pragma GCC visibility push(hidden)

// The steps, each a no-op that returns false or nothing after a fatal. Any out of order is a fatal INVALID_ARGS.
// Begins to record graph `id`, a number of the program's own, for messages; graphs do not nest.
inline bool rt_graph_begin(std::uint64_t id = 0) {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops != nullptr && bound.ops->graph_begin(bound.context, id);
}
// Checks the arguments that the graph is about to be built from.
inline bool rt_graph_prepare(const GraphTaskArgs& args) {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops != nullptr && bound.ops->graph_prepare(bound.context, &args);
}
// Takes back every task, tensor and byte of heap since the begin, and leaves the scopes that were opened since.
// References to outputs of those tasks must not be used any more.
inline void rt_graph_abort() {
  const Pto2Binding& bound = pto2_binding;
  if (bound.ops != nullptr) bound.ops->graph_abort(bound.context);
}
// No further task belongs to the graph. Its scopes are closed by now.
inline bool rt_graph_end() {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops != nullptr && bound.ops->graph_end(bound.context);
}
// The graph stays. Empty after a fatal.
inline GraphSubmitResult rt_graph_commit() {
  const Pto2Binding& bound = pto2_binding;
  return bound.ops == nullptr ? GraphSubmitResult() : bound.ops->graph_commit(bound.context);
}

// Takes a graph back that is left by an exception.
class Pto2GraphGuard {
 public:
  Pto2GraphGuard() = default;
  Pto2GraphGuard(const Pto2GraphGuard&) = delete;
  Pto2GraphGuard& operator=(const Pto2GraphGuard&) = delete;
  ~Pto2GraphGuard() {
    if (!ended_) rt_graph_abort();
  }
  void ended() { ended_ = true; }

 private:
  bool ended_ = false;
};

// All of it: what `function(args, config...)` submits becomes graph `id`. Empty after a fatal, on the way too.
template <typename Function, typename... Config>
inline GraphSubmitResult rt_submit_graph(std::uint64_t id, Function&& function, const GraphTaskArgs& args,
                                         Config&&... config) {
  if (!rt_graph_begin(id)) return {};
  Pto2GraphGuard guard;
  if (rt_graph_prepare(args)) std::forward<Function>(function)(args, std::forward<Config>(config)...);
  guard.ended();
  return rt_graph_end() ? rt_graph_commit() : GraphSubmitResult();
}
template <typename Function, typename... Config>
inline GraphSubmitResult rt_submit_graph(Function&& function, const GraphTaskArgs& args, Config&&... config) {
  return rt_submit_graph(std::uint64_t{0}, std::forward<Function>(function), args, std::forward<Config>(config)...);
}

#pragma GCC visibility pop
