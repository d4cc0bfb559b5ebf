// SPDX-License-Identifier: Apache-2.0
// Whether strided tensors of one buffer share bytes. Exact where the layout allows it, otherwise "yes". Pure
// functions, thread-safe.
#pragma once

#include <cstdint>

#include "runtime/orchestration/api/pto_tensor.h"

namespace svmrt {

// Bytes relative to the buffer's start unless said otherwise, end excluded; saturates at 2^64 - 1. first == end: no
// element.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool overlaps(const ByteRange& other) const {
    return first < other.end && other.first < end && first < end && other.first < other.end;
  }
};

// From the first to the end of the last element, gaps included.
[[nodiscard]] ByteRange byte_range(const ChipTensor& tensor);

// Both lie in the same buffer. Ranges first; then, when dtype, ndims and strides agree, the boxes dimension by
// dimension. Where these do not agree, or where a tensor's rows run into each other, overlapping ranges count.
[[nodiscard]] bool may_overlap(const ChipTensor& a, const ChipTensor& b);

// Every element of `inner` is one of `outer`: dtype, ndims and strides agree and the box contains the other. False
// where that cannot be told.
[[nodiscard]] bool covers(const ChipTensor& outer, const ChipTensor& inner);

// Whether one of the bytes `span` belongs to an element of `tensor`; exact unless the tensor's rows run into each
// other.
[[nodiscard]] bool touches(const ChipTensor& tensor, const ByteRange& span);

}  // namespace svmrt
