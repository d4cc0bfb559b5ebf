// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/task_graph.h"

namespace svmrt {

namespace {

// Pools of 32-bit positions hold every graph that a 32-bit task number can name in practice: 65,536 tasks with the
// most arguments and predecessors that a task can have are below 2^24 entries.
template <typename T>
std::uint32_t append(std::vector<T>& pool, std::span<const T> items) {
  const auto first = static_cast<std::uint32_t>(pool.size());
  pool.insert(pool.end(), items.begin(), items.end());
  return first;
}

}  // namespace

std::uint32_t TaskGraph::add_predicate(const TaskPredicate& predicate) {
  return append(predicates_, std::span(&predicate, 1));
}

std::uint32_t TaskGraph::add(TaskRecord record, std::span<const TaskTensor> tensors,
                             std::span<const std::uint64_t> scalars, std::span<const std::uint32_t> predecessors) {
  record.first_tensor = append(tensors_, tensors);
  record.tensor_count = static_cast<std::uint32_t>(tensors.size());
  record.first_scalar = append(scalars_, scalars);
  record.scalar_count = static_cast<std::uint32_t>(scalars.size());
  record.first_predecessor = append(predecessors_, predecessors);
  record.predecessor_count = static_cast<std::uint32_t>(predecessors.size());
  return append(tasks_, std::span<const TaskRecord>(&record, 1));
}

void TaskGraph::clear() {
  tasks_.clear();
  tensors_.clear();
  scalars_.clear();
  predecessors_.clear();
  predicates_.clear();
}

TaskGraph::Mark TaskGraph::mark() const {
  return {tasks_.size(), tensors_.size(), scalars_.size(), predecessors_.size(), predicates_.size()};
}

void TaskGraph::go_back(const Mark& mark) {
  tasks_.resize(mark.tasks);
  tensors_.resize(mark.tensors);
  scalars_.resize(mark.scalars);
  predecessors_.resize(mark.predecessors);
  predicates_.resize(mark.predicates);
}

}  // namespace svmrt
