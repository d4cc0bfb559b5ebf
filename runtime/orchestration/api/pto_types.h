// SPDX-License-Identifier: Apache-2.0
// The small value types of the public orchestration interface; ChipTensor and its makers come along from
// pto_tensor.h. Plain C++17, self-contained, global namespace. Value types, thread-compatible.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "pto_tensor.h"

constexpr std::int32_t PTO2_ERROR_NONE = 0;
constexpr std::int32_t PTO2_ERROR_SCOPE_DEADLOCK = 1;
constexpr std::int32_t PTO2_ERROR_HEAP_RING_DEADLOCK = 2;
constexpr std::int32_t PTO2_ERROR_FLOW_CONTROL_DEADLOCK = 3;
constexpr std::int32_t PTO2_ERROR_DEP_POOL_OVERFLOW = 4;
constexpr std::int32_t PTO2_ERROR_INVALID_ARGS = 5;
constexpr std::int32_t PTO2_ERROR_REQUIRE_SYNC_START_INVALID = 7;
constexpr std::int32_t PTO2_ERROR_TENSOR_WAIT_TIMEOUT = 8;
constexpr std::int32_t PTO2_ERROR_EXPLICIT_ORCH_FATAL = 9;
constexpr std::int32_t PTO2_ERROR_SCOPE_TASKS_OVERFLOW = 10;
constexpr std::int32_t PTO2_ERROR_TENSORMAP_OVERFLOW = 11;

// AUTO infers dependencies from tensors; in MANUAL only set_dependencies counts.
enum class PTO2ScopeMode : std::uint8_t { AUTO, MANUAL };

// What aicpu_orchestration_config returns: tensors plus scalars that the entry point reads.
struct PTO2OrchestrationConfig {
  std::int32_t expected_arg_count;
};

// Kernel function ids of one task; -1 leaves the slot empty.
struct MixedKernels {
  std::int32_t aic_kernel_id = -1;
  std::int32_t aiv0_kernel_id = -1;
  std::int32_t aiv1_kernel_id = -1;
};

enum class PredicateOp : std::uint8_t { NONE, EQ, NE, GT, LT, GE, LE };

// The element that a predicate looks at when its task is due. The tensor is borrowed until the submit.
struct PredicateOperand {
  const ChipTensor* tensor = nullptr;
  std::uint32_t ndims = 0;
  std::uint32_t indices[MAX_TENSOR_DIMS] = {};
};

// The task runs when `operand op target` holds, compared in the operand's dtype and sign-extended. NONE: always.
struct CoreTaskPredicate {
  PredicateOperand operand;
  PredicateOp op = PredicateOp::NONE;
  std::int64_t target = 0;
};

// A row-major tensor that the runtime is to create in its heap: 1 to MAX_TENSOR_DIMS dimensions, checked at submit.
class TensorCreateInfo {
 public:
  TensorCreateInfo(const std::uint32_t shapes[], std::uint32_t ndims, DataType dtype = DataType::FLOAT32,
                   bool manual_dep = false)
      : dtype_(dtype), manual_dep_(manual_dep), ndims_(ndims) {
    for (std::uint32_t d = 0; d < ndims && d < MAX_TENSOR_DIMS; ++d) shapes_[d] = shapes[d];
  }
  std::uint32_t ndims() const { return ndims_; }
  std::uint32_t shape(std::uint32_t dim) const { return shapes_[dim]; }
  const std::uint32_t* shapes() const { return shapes_; }
  DataType dtype() const { return dtype_; }
  bool manual_dep() const { return manual_dep_; }

 private:
  DataType dtype_;
  bool manual_dep_;
  std::uint32_t ndims_;
  std::uint32_t shapes_[MAX_TENSOR_DIMS] = {};
};

// The bits of a value of at most 8 bytes, in the low bytes of a scalar slot, zero-extended; and back.
template <typename T>
inline std::uint64_t to_u64(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T>
inline T from_u64(std::uint64_t bits) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
