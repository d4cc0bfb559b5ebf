// SPDX-License-Identifier: Apache-2.0
// The graph that one orchestration built: tasks in submission order, each with its argument tensors, scalars and
// predecessors. Storage is a few flat pools, so that a graph of a hundred thousand tasks is a handful of blocks.
// Thread-compatible; the orchestrator owns it until the run takes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/orchestration/api/pto_types.h"

namespace svmrt {

enum class TaskKind : std::uint8_t {
  kAlloc,   // hidden task of alloc_tensors, completed inline: no core runs it
  kDummy,   // no kernel, ordering only
  kCube,    // one cube core
  kVector,  // one vector core
  kMixed,   // more than one core slot: a cube and vector cores, or two vector cores
};

enum class TensorUse : std::uint8_t {
  kInput,
  kInout,
  kOutput,          // created in the runtime heap for this task
  kOutputExisting,  // memory that existed before
  kNoDep,           // read, but takes no part in dependency inference
};

// Whether a task sees what its argument's memory held before, and whether it changes it.
[[nodiscard]] constexpr bool is_read(TensorUse use) {
  return use == TensorUse::kInput || use == TensorUse::kInout || use == TensorUse::kNoDep;
}
[[nodiscard]] constexpr bool is_written(TensorUse use) {
  return use == TensorUse::kInout || use == TensorUse::kOutput || use == TensorUse::kOutputExisting;
}

struct TaskTensor {
  ChipTensor tensor;
  TensorUse use = TensorUse::kInput;
};

// A task's condition with its operand, evaluated when the task is due; see CoreTaskPredicate.
struct TaskPredicate {
  ChipTensor tensor;
  std::uint32_t index_count = 0;
  std::array<std::uint32_t, MAX_TENSOR_DIMS> indices{};
  PredicateOp op = PredicateOp::NONE;
  std::int64_t target = 0;
};
inline constexpr std::uint32_t kNoPredicate = UINT32_MAX;

struct TaskRecord {
  PTO2TaskId id;  // ring 0, local = position in TaskGraph::tasks()
  TaskKind kind = TaskKind::kDummy;
  MixedKernels kernels;        // function ids; -1 where a slot is empty
  std::int16_t block_num = 1;  // how many instances of the kernel
  bool require_sync_start = false;
  bool allow_early_resolve = false;
  std::int8_t timing_slot = -1;            // 0 to 15, or -1: none
  std::uint32_t predicate = kNoPredicate;  // what add_predicate returned
  std::uint32_t first_tensor = 0, tensor_count = 0;
  std::uint32_t first_scalar = 0, scalar_count = 0;
  std::uint32_t first_predecessor = 0, predecessor_count = 0;
};

class TaskGraph {
 public:
  [[nodiscard]] std::span<const TaskRecord> tasks() const { return tasks_; }
  [[nodiscard]] std::span<const TaskTensor> tensors(const TaskRecord& task) const {
    return std::span(tensors_).subspan(task.first_tensor, task.tensor_count);
  }
  [[nodiscard]] std::span<const std::uint64_t> scalars(const TaskRecord& task) const {
    return std::span(scalars_).subspan(task.first_scalar, task.scalar_count);
  }
  // Positions in tasks(), each below the task's own, ascending, without duplicates.
  [[nodiscard]] std::span<const std::uint32_t> predecessors(const TaskRecord& task) const {
    return std::span(predecessors_).subspan(task.first_predecessor, task.predecessor_count);
  }

  // Null for a task without one.
  [[nodiscard]] const TaskPredicate* predicate(const TaskRecord& task) const {
    return task.predicate == kNoPredicate ? nullptr : &predicates_[task.predicate];
  }

  // Stores a condition for the task that is added next; the number goes into its record.
  [[nodiscard]] std::uint32_t add_predicate(const TaskPredicate& predicate);
  // Appends a task and returns its position; the ranges of `record` are filled in here. `predecessors` as described
  // above.
  std::uint32_t add(TaskRecord record, std::span<const TaskTensor> tensors, std::span<const std::uint64_t> scalars,
                    std::span<const std::uint32_t> predecessors);
  void clear();

  // A point to go back to: what has been added since is taken back as if it had never been.
  struct Mark {
    std::size_t tasks = 0, tensors = 0, scalars = 0, predecessors = 0, predicates = 0;
  };
  [[nodiscard]] Mark mark() const;
  void go_back(const Mark& mark);

 private:
  std::vector<TaskRecord> tasks_;
  std::vector<TaskTensor> tensors_;
  std::vector<std::uint64_t> scalars_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<TaskPredicate> predicates_;
};

}  // namespace svmrt
