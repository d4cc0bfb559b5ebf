// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_overlap.h"

#include <algorithm>
#include <array>
#include <optional>

namespace svmrt {

namespace {

using Digits = std::array<std::uint64_t, MAX_TENSOR_DIMS>;

// An element offset written in the mixed radix of a tensor's strides, largest stride first. What is left below the
// smallest stride is the phase: tensors with steps interleave when their phases differ.
struct Position {
  Digits digit{};
  std::uint64_t phase = 0;
};

using DimOrder = std::array<std::uint32_t, MAX_TENSOR_DIMS>;

// Dimensions by descending stride; equal strides keep their order. Depends on nothing but ndims and strides.
DimOrder dims_by_stride(const ChipTensor& tensor) {
  DimOrder order{};
  for (std::uint32_t d = 0; d < tensor.ndims; ++d) {
    std::uint32_t at = d;
    for (; at > 0 && tensor.strides[order[at - 1]] < tensor.strides[d]; --at) order[at] = order[at - 1];
    order[at] = d;
  }
  return order;
}

Position position_of(const ChipTensor& tensor, const DimOrder& order, std::uint64_t offset) {
  Position position;
  for (std::uint32_t i = 0; i < tensor.ndims; ++i) {
    const std::uint32_t stride = tensor.strides[order[i]];
    if (stride == 0) continue;
    position.digit[order[i]] = offset / stride;
    offset %= stride;
  }
  position.phase = offset;
  return position;
}

// The position of the first element, if digits name elements uniquely: everything inside one step of a dimension
// must stay below that step. Holds for all views of a row-major tensor, not for rows that run into each other.
std::optional<Position> box_origin(const ChipTensor& tensor, const DimOrder& order) {
  const Position origin = position_of(tensor, order, tensor.start_offset);
  std::uint64_t inner = origin.phase;
  for (std::uint32_t i = tensor.ndims; i-- > 0;) {
    const std::uint32_t d = order[i];
    if (inner >= tensor.strides[d]) return std::nullopt;
    inner += (origin.digit[d] + tensor.shapes[d] - 1) * tensor.strides[d];
  }
  return origin;
}

bool same_layout(const ChipTensor& a, const ChipTensor& b) {
  return a.dtype == b.dtype && a.ndims == b.ndims && std::equal(a.strides, a.strides + a.ndims, b.strides);
}

bool same_box(const ChipTensor& a, const ChipTensor& b) {
  return a.start_offset == b.start_offset && std::equal(a.shapes, a.shapes + a.ndims, b.shapes);
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

}  // namespace

ByteRange byte_range(const ChipTensor& tensor) {
  const std::uint64_t element = get_element_size(tensor.dtype);
  std::uint64_t end = 0;
  if (__builtin_add_overflow(tensor.start_offset, tensor.extent_elem(), &end)) end = UINT64_MAX;
  return {saturating_multiply(tensor.start_offset, element), saturating_multiply(end, element)};
}

bool may_overlap(const ChipTensor& a, const ChipTensor& b) {
  if (!byte_range(a).overlaps(byte_range(b))) return false;
  if (!same_layout(a, b)) return true;
  const DimOrder order = dims_by_stride(a);
  const std::optional<Position> origin_a = box_origin(a, order);
  const std::optional<Position> origin_b = box_origin(b, order);
  if (!origin_a || !origin_b) return true;
  if (origin_a->phase != origin_b->phase) return false;
  for (std::uint32_t d = 0; d < a.ndims; ++d) {
    if (origin_a->digit[d] + a.shapes[d] <= origin_b->digit[d]) return false;
    if (origin_b->digit[d] + b.shapes[d] <= origin_a->digit[d]) return false;
  }
  return true;
}

bool covers(const ChipTensor& outer, const ChipTensor& inner) {
  if (!same_layout(outer, inner)) return false;
  if (same_box(outer, inner)) return true;
  const DimOrder order = dims_by_stride(outer);
  const std::optional<Position> origin_outer = box_origin(outer, order);
  const std::optional<Position> origin_inner = box_origin(inner, order);
  if (!origin_outer || !origin_inner || origin_outer->phase != origin_inner->phase) return false;
  for (std::uint32_t d = 0; d < outer.ndims; ++d) {
    if (origin_inner->digit[d] < origin_outer->digit[d]) return false;
    if (origin_inner->digit[d] + inner.shapes[d] > origin_outer->digit[d] + outer.shapes[d]) return false;
  }
  return true;
}

bool touches(const ChipTensor& tensor, const ByteRange& span) {
  if (!byte_range(tensor).overlaps(span)) return false;
  const DimOrder order = dims_by_stride(tensor);
  const std::optional<Position> origin = box_origin(tensor, order);
  if (!origin) return true;
  const std::uint64_t element = get_element_size(tensor.dtype);
  for (std::uint64_t offset = span.first / element; offset <= (span.end - 1) / element; ++offset) {
    const Position position = position_of(tensor, order, offset);
    bool inside = position.phase == origin->phase;
    for (std::uint32_t d = 0; d < tensor.ndims && inside; ++d) {
      inside = position.digit[d] >= origin->digit[d] && position.digit[d] - origin->digit[d] < tensor.shapes[d];
    }
    if (inside) return true;
  }
  return false;
}

}  // namespace svmrt
