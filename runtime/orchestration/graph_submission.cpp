// SPDX-License-Identifier: Apache-2.0
// The steps of a graph submission over an Orchestrator.
#include <fmt/format.h>

#include "runtime/orchestration/orchestrator.h"
#include "runtime/orchestration/tensor_check.h"

namespace svmrt {

bool Orchestrator::graph_begin(std::uint64_t id) {
  if (recording_) {
    return fatal(PTO2_ERROR_INVALID_ARGS,
                 fmt::format("rt_graph_begin: graph {} begins while graph {} is not committed", id, recording_->id));
  }
  recording_.emplace(Recording{id, graph_.mark(), heap_, writers_, written_, scopes_.size(), std::nullopt});
  return true;
}

bool Orchestrator::graph_prepare(const GraphTaskArgs& args) {
  if (!recording_ || recording_->end) return fatal(PTO2_ERROR_INVALID_ARGS, "rt_graph_prepare: no graph is begun");
  if (args.has_error) {
    return fatal(PTO2_ERROR_INVALID_ARGS, fmt::format("rt_graph_prepare: graph {}: {}", recording_->id,
                                                      args.error_msg != nullptr ? args.error_msg : "bad arguments"));
  }
  for (std::int32_t i = 0; i < args.tensor_count(); ++i) {
    if (args.tag(i) == TensorArgType::OUTPUT) continue;
    const std::string defect = tensor_defect(args.tensor(i).ref());
    if (!defect.empty()) {
      return fatal(PTO2_ERROR_INVALID_ARGS, fmt::format("rt_graph_prepare: graph {}: tensor argument {} ({}): {}",
                                                        recording_->id, i, get_tag_name(args.tag(i)), defect));
    }
  }
  return true;
}

void Orchestrator::graph_abort() {
  if (!recording_) {
    fatal(PTO2_ERROR_INVALID_ARGS, "rt_graph_abort: no graph is begun");
    return;
  }
  graph_.go_back(recording_->mark);
  listed_for_.assign(graph_.tasks().size(), 0);  // the next tasks have the numbers of those taken back
  heap_ = recording_->heap;
  writers_ = std::move(recording_->writers);
  written_ = std::move(recording_->written);
  if (scopes_.size() > recording_->scopes) scopes_.resize(recording_->scopes);
  recording_.reset();
}

bool Orchestrator::graph_end() {
  if (!recording_ || recording_->end) return fatal(PTO2_ERROR_INVALID_ARGS, "rt_graph_end: no graph is begun");
  if (scopes_.size() != recording_->scopes) {
    return fatal(PTO2_ERROR_INVALID_ARGS,
                 fmt::format("rt_graph_end: graph {} has {} open scopes at its end, and had {} at its begin",
                             recording_->id, scopes_.size(), recording_->scopes));
  }
  recording_->end = graph_.tasks().size();
  return true;
}

GraphSubmitResult Orchestrator::graph_commit() {
  if (!recording_ || !recording_->end) {
    fatal(PTO2_ERROR_INVALID_ARGS, "rt_graph_commit: no graph has ended");
    return {};
  }
  const auto first = static_cast<std::uint32_t>(recording_->mark.tasks);
  const auto end = static_cast<std::uint32_t>(*recording_->end);
  recording_.reset();
  return {PTO2TaskId::make(0, first), end - first};
}

}  // namespace svmrt
