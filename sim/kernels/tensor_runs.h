// SPDX-License-Identifier: Apache-2.0
// The bytes of a tensor of any strides, piece by piece. Thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/orchestration/api/pto_tensor.h"

namespace svmsim {

// Calls `visit(first byte, bytes)` for each run of adjacent elements, in row-major order of the tensor.
template <typename Visit>
void for_each_run(const ChipTensor& tensor, std::byte* data, Visit visit) {
  const std::uint64_t element = get_element_size(tensor.dtype);
  // The trailing dimensions that lie adjacent in memory form one run.
  std::uint32_t outer = tensor.ndims;
  std::uint64_t run = 1;
  while (outer > 0 && (tensor.shapes[outer - 1] == 1 || tensor.strides[outer - 1] == run)) {
    run *= tensor.shapes[outer - 1];
    --outer;
  }
  std::uint32_t index[MAX_TENSOR_DIMS] = {};
  for (;;) {
    std::uint64_t offset = 0;
    for (std::uint32_t d = 0; d < outer; ++d) offset += std::uint64_t{index[d]} * tensor.strides[d];
    visit(data + offset * element, static_cast<std::size_t>(run * element));
    std::uint32_t d = outer;
    while (d > 0 && ++index[d - 1] == tensor.shapes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace svmsim
