// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/task_predicate.h"

#include <fmt/format.h>

#include <compare>
#include <cstring>

#include "runtime/orchestration/float_formats.h"

namespace svmrt {

namespace {

template <typename T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::partial_ordering signed_order(std::int64_t value, std::int64_t target) { return value <=> target; }
std::partial_ordering unsigned_order(std::uint64_t value, std::int64_t target) {
  if (target < 0) return std::partial_ordering::greater;
  return value <=> static_cast<std::uint64_t>(target);
}
// A float has at most 24 significant bits, so that the conversion of a target beyond 2^53 changes no comparison with
// one unless they are nearly equal; such targets are no use for floats.
std::partial_ordering float_order(float value, std::int64_t target) {
  return static_cast<double>(value) <=> static_cast<double>(target);
}

tl::expected<std::partial_ordering, std::string> order(const std::byte* at, DataType dtype, std::int64_t target) {
  switch (dtype) {
    case DataType::INT8:
      return signed_order(read_as<std::int8_t>(at), target);
    case DataType::INT16:
      return signed_order(read_as<std::int16_t>(at), target);
    case DataType::INT32:
      return signed_order(read_as<std::int32_t>(at), target);
    case DataType::INT64:
      return signed_order(read_as<std::int64_t>(at), target);
    case DataType::BOOL:
    case DataType::UINT8:
      return unsigned_order(read_as<std::uint8_t>(at), target);
    case DataType::UINT16:
      return unsigned_order(read_as<std::uint16_t>(at), target);
    case DataType::UINT32:
      return unsigned_order(read_as<std::uint32_t>(at), target);
    case DataType::UINT64:
      return unsigned_order(read_as<std::uint64_t>(at), target);
    case DataType::FLOAT32:
      return float_order(read_as<float>(at), target);
    case DataType::FLOAT16:
      return float_order(float_from_float16(read_as<std::uint16_t>(at)), target);
    case DataType::BFLOAT16:
      return float_order(float_from_bfloat16(read_as<std::uint16_t>(at)), target);
    default:
      return tl::unexpected(fmt::format("predicate operand of dtype {}; allowed: integers, FLOAT32, FLOAT16, BFLOAT16",
                                        get_dtype_name(dtype)));
  }
}

bool holds(std::partial_ordering order, PredicateOp op) {
  switch (op) {
    case PredicateOp::NONE:
      return true;
    case PredicateOp::EQ:
      return order == std::partial_ordering::equivalent;
    case PredicateOp::NE:
      return order != std::partial_ordering::equivalent;
    case PredicateOp::GT:
      return order == std::partial_ordering::greater;
    case PredicateOp::LT:
      return order == std::partial_ordering::less;
    case PredicateOp::GE:
      return order == std::partial_ordering::greater || order == std::partial_ordering::equivalent;
    case PredicateOp::LE:
      return order == std::partial_ordering::less || order == std::partial_ordering::equivalent;
  }
  return true;
}

}  // namespace

PredicateOperand predicate_operand(const TaskPredicate& predicate) {
  const ChipTensor& tensor = predicate.tensor;
  const std::uint64_t element = get_element_size(tensor.dtype);
  const std::uint64_t offset = tensor.compute_flat_offset(predicate.indices.data(), predicate.index_count);
  return {DeviceAddr(tensor.buffer.addr + offset * element), Bytes(element)};
}

tl::expected<bool, std::string> predicate_holds(const TaskPredicate& predicate, const std::byte* operand) {
  const auto found = order(operand, predicate.tensor.dtype, predicate.target);
  if (!found) return tl::unexpected(found.error());
  return holds(*found, predicate.op);
}

}  // namespace svmrt
