// SPDX-License-Identifier: Apache-2.0
// The arguments of a task, a graph or a whole orchestration: tensors first, then scalars. Tensors are borrowed and
// must outlive the submit (hence lvalues only); infos and scalars are copied. Not copyable. Thread-compatible.
//
// A wrong call records its first error and changes nothing else; the submit that gets the arguments refuses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "pto_types.h"

enum class TensorArgType : std::uint8_t { INPUT, OUTPUT, INOUT, OUTPUT_EXISTING, NO_DEP };

constexpr const char* get_tag_name(TensorArgType tag) {
  switch (tag) {
    case TensorArgType::INPUT:
      return "INPUT";
    case TensorArgType::OUTPUT:
      return "OUTPUT";
    case TensorArgType::INOUT:
      return "INOUT";
    case TensorArgType::OUTPUT_EXISTING:
      return "OUTPUT_EXISTING";
    case TensorArgType::NO_DEP:
      return "NO_DEP";
  }
  return "UNKNOWN";
}

// set_task_timing_slot takes 0 to PTO2_TASK_TIMING_SLOTS - 1; -1 means none.
constexpr std::int32_t PTO2_TASK_TIMING_SLOTS = 16;

// How a task is launched. Ranges are checked at submit.
class PTO2LaunchSpec {
 public:
  // Instances of the kernel: 1 and up; times the active kernel slots at most 32767.
  void set_block_num(std::int16_t block_num) { block_num_ = block_num; }
  // All instances start together, so that there must be a core for each.
  void set_require_sync_start(bool required) { require_sync_start_ = required; }
  std::int16_t block_num() const { return block_num_; }
  bool require_sync_start() const { return require_sync_start_; }

 private:
  std::int16_t block_num_ = 1;
  bool require_sync_start_ = false;
};

// One tensor argument as its reader sees it. ref() of an OUTPUT, which has no tensor yet, is unallocated.
class TensorArgRef {
 public:
  explicit TensorArgRef(const ChipTensor* tensor) : tensor_(tensor) {}
  const ChipTensor& ref() const { return tensor_ != nullptr ? *tensor_ : unallocated_tensor(); }

 private:
  const ChipTensor* tensor_;
};

template <std::size_t MaxTensors, std::size_t MaxScalars>
class Arg {
 public:
  bool has_error = false;
  const char* error_msg = nullptr;  // a literal; null without an error
  PTO2LaunchSpec launch_spec;

  Arg() {}  // not defaulted: braces must not zero the arrays  NOLINT(modernize-use-equals-default)
  Arg(const Arg&) = delete;
  Arg& operator=(const Arg&) = delete;

  void reset() {
    has_error = false;
    error_msg = nullptr;
    launch_spec = PTO2LaunchSpec();
    tensor_count_ = 0;
    scalar_count_ = 0;
    dependencies_ = nullptr;
    dependency_count_ = 0;
    predicate_ = CoreTaskPredicate();
    timing_slot_ = -1;
    allow_early_resolve_ = false;
  }

  template <typename... Tensors>
  void add_input(Tensors&&... tensors) {
    (add_existing<Tensors>(TensorArgType::INPUT, tensors), ...);
  }
  template <typename... Tensors>
  void add_inout(Tensors&&... tensors) {
    (add_existing<Tensors>(TensorArgType::INOUT, tensors), ...);
  }
  // Read by the task, but without a part in dependency inference.
  template <typename... Tensors>
  void add_no_dep(Tensors&&... tensors) {
    (add_existing<Tensors>(TensorArgType::NO_DEP, tensors), ...);
  }
  // Either tensors that exist (written whole), or infos of tensors that the runtime is to create.
  template <typename... Outputs>
  void add_output(Outputs&&... outputs) {
    constexpr bool kCreate = (std::is_same_v<std::decay_t<Outputs>, TensorCreateInfo> && ...);
    if constexpr (kCreate) {
      (add_created(outputs), ...);
    } else {
      (add_existing<Outputs>(TensorArgType::OUTPUT_EXISTING, outputs), ...);
    }
  }

  template <typename... Values>
  void add_scalar(Values... values) {
    (append_scalar(to_u64(values)), ...);
  }
  void add_scalars(const std::uint64_t* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) append_scalar(values[i]);
  }
  // Each 32-bit pattern zero-extended.
  void add_scalars_i32(const std::int32_t* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) append_scalar(to_u64(values[i]));
  }
  template <std::size_t OtherTensors, std::size_t OtherScalars>
  void copy_scalars_from(const Arg<OtherTensors, OtherScalars>& source, std::int32_t first, std::int32_t count) {
    if (first < 0 || count < 0 || first > source.scalar_count() || count > source.scalar_count() - first) {
      return set_error("copy_scalars_from: range outside the source's scalars");
    }
    for (std::int32_t i = 0; i < count; ++i) append_scalar(source.scalar(first + i));
  }

  // Tasks that must finish first, besides inferred ones. Borrowed until the submit.
  void set_dependencies(const PTO2TaskId* tasks, std::uint32_t count) {
    if (tasks == nullptr && count != 0) return set_error("set_dependencies: null array");
    dependencies_ = tasks;
    dependency_count_ = count;
  }
  void set_predicate(const CoreTaskPredicate& predicate) {
    if (predicate.op != PredicateOp::NONE && predicate.operand.tensor == nullptr) {
      return set_error("set_predicate: no operand tensor");
    }
    if (predicate.operand.ndims > MAX_TENSOR_DIMS) return set_error("set_predicate: too many indices");
    predicate_ = predicate;
  }
  void set_allow_early_resolve(bool allow = true) { allow_early_resolve_ = allow; }
  void set_task_timing_slot(std::int32_t slot) {
    if (slot < 0 || slot >= PTO2_TASK_TIMING_SLOTS) return set_error("set_task_timing_slot: slot must be 0 to 15");
    timing_slot_ = slot;
  }

  std::int32_t tensor_count() const { return tensor_count_; }
  std::int32_t scalar_count() const { return scalar_count_; }
  // Out of range: an unallocated tensor, or 0.
  TensorArgRef tensor(std::int32_t i) const {
    return TensorArgRef(has_tensor(i) && tags_[i] != TensorArgType::OUTPUT ? slots_[i].tensor : nullptr);
  }
  std::uint64_t scalar(std::int32_t i) const { return i >= 0 && i < scalar_count_ ? scalars_[i] : 0; }
  // 0 <= i < tensor_count().
  TensorArgType tag(std::int32_t i) const { return tags_[i]; }
  // tag(i) is OUTPUT.
  const TensorCreateInfo& create_info(std::int32_t i) const { return slots_[i].info; }

  const PTO2TaskId* dependencies() const { return dependencies_; }
  std::uint32_t dependency_count() const { return dependency_count_; }
  const CoreTaskPredicate& predicate() const { return predicate_; }
  bool allow_early_resolve() const { return allow_early_resolve_; }
  std::int32_t task_timing_slot() const { return timing_slot_; }

  // One line per argument for a log.
  std::string dump() const {
    std::string text;
    for (std::int32_t i = 0; i < tensor_count_; ++i) {
      text += "tensor " + std::to_string(i) + ": " + get_tag_name(tags_[i]);
      if (tags_[i] != TensorArgType::OUTPUT) text += " " + slots_[i].tensor->dump();
      text += "\n";
    }
    for (std::int32_t i = 0; i < scalar_count_; ++i) {
      text += "scalar " + std::to_string(i) + ": " + std::to_string(scalars_[i]) + "\n";
    }
    return text;
  }

  // Keeps the first error. `message` must be a literal.
  void set_error(const char* message) {
    if (!has_error) error_msg = message;
    has_error = true;
  }

 private:
  // Which member is live follows from the tag.
  union TensorSlot {
    TensorSlot() : tensor(nullptr) {}
    const ChipTensor* tensor;
    TensorCreateInfo info;
  };

  bool has_tensor(std::int32_t i) const { return i >= 0 && i < tensor_count_; }

  template <typename T>
  void add_existing(TensorArgType tag, const ChipTensor& tensor) {
    static_assert(std::is_lvalue_reference_v<T>, "tensor arguments are borrowed: a temporary would dangle");
    if (claim_tensor_slot(tag)) slots_[tensor_count_ - 1].tensor = &tensor;
  }
  void add_created(const TensorCreateInfo& info) {
    if (claim_tensor_slot(TensorArgType::OUTPUT)) slots_[tensor_count_ - 1].info = info;
  }
  bool claim_tensor_slot(TensorArgType tag) {
    if (scalar_count_ != 0) {
      set_error("tensor added after a scalar");
      return false;
    }
    if (static_cast<std::size_t>(tensor_count_) == MaxTensors) {
      set_error("too many tensors");
      return false;
    }
    tags_[tensor_count_++] = tag;
    return true;
  }
  void append_scalar(std::uint64_t bits) {
    if (static_cast<std::size_t>(scalar_count_) == MaxScalars) return set_error("too many scalars");
    scalars_[scalar_count_++] = bits;
  }

  std::int32_t tensor_count_ = 0;
  std::int32_t scalar_count_ = 0;
  std::int32_t timing_slot_ = -1;
  bool allow_early_resolve_ = false;
  std::uint32_t dependency_count_ = 0;
  const PTO2TaskId* dependencies_ = nullptr;
  CoreTaskPredicate predicate_;
  // Filled up to the counts; the rest is left uninitialised, because argument lists are built per task.
  TensorArgType tags_[MaxTensors];
  std::uint64_t scalars_[MaxScalars];
  TensorSlot slots_[MaxTensors];
};

using CoreTaskArgs = Arg<32, 16>;
using GraphTaskArgs = Arg<128, 64>;
using ChipTaskArgs = Arg<256, 128>;

// What a submit created: the task's id and its OUTPUT tensors in argument order. Empty after a fatal. The tensors
// live in the runtime until the end of the orchestration, so that references outlive this object.
class TaskOutputTensors {
 public:
  TaskOutputTensors() = default;
  TaskOutputTensors(PTO2TaskId task, const ChipTensor* first, std::uint32_t count)
      : first_(first), count_(count), task_(task) {}
  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  // Out of range: an unallocated tensor.
  const ChipTensor& get_ref(std::uint32_t i) const& { return i < count_ ? first_[i] : unallocated_tensor(); }
  const ChipTensor& get_ref(std::uint32_t i) const&& = delete;
  // Invalid after a fatal.
  PTO2TaskId task_id() const { return task_; }

 private:
  const ChipTensor* first_ = nullptr;
  std::uint32_t count_ = 0;
  PTO2TaskId task_;
};
