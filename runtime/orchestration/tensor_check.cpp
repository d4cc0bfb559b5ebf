// SPDX-License-Identifier: Apache-2.0
#include "runtime/orchestration/tensor_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>

namespace svmrt {

namespace {

std::string shape_text(const ChipTensor& tensor) {
  return fmt::format("shapes {} and strides {}", std::span(tensor.shapes, tensor.ndims),
                     std::span(tensor.strides, tensor.ndims));
}

// Elements from the first to the last; nullopt when they leave 64 bits.
std::optional<std::uint64_t> extent_of(const ChipTensor& tensor) {
  if (tensor.numel() == 0) return 0;
  std::uint64_t extent = 1;
  for (std::uint32_t d = 0; d < tensor.ndims; ++d) {
    const std::uint64_t reach = static_cast<std::uint64_t>(tensor.shapes[d] - 1) * tensor.strides[d];
    if (__builtin_add_overflow(extent, reach, &extent)) return std::nullopt;
  }
  return extent;
}

// Of ndims, dtype and the number of elements.
std::string form_defect(const ChipTensor& tensor) {
  if (tensor.ndims == 0 || tensor.ndims > MAX_TENSOR_DIMS) {
    return fmt::format("ndims is {}; it must be 1 to {}", tensor.ndims, MAX_TENSOR_DIMS);
  }
  if (get_element_size(tensor.dtype) == 0) {
    return fmt::format("dtype is {}, which is no DataType", static_cast<unsigned>(tensor.dtype));
  }
  if (tensor.numel() > kMostElements) {
    return fmt::format("{} have more than {} elements", shape_text(tensor), kMostElements);
  }
  return {};
}

}  // namespace

std::string tensor_defect(const ChipTensor& tensor) {
  if (tensor.buffer.addr == 0) return "buffer.addr is null: the tensor is unallocated";
  if (std::string defect = form_defect(tensor); !defect.empty()) return defect;

  const std::optional<std::uint64_t> extent = extent_of(tensor);
  if (!extent || *extent != tensor.extent_elem_cache) {
    return fmt::format("extent_elem_cache is {}, but {} give {}", tensor.extent_elem_cache, shape_text(tensor),
                       extent ? fmt::to_string(*extent) : "more than 64 bits");
  }
  std::uint64_t end = 0;
  if (__builtin_add_overflow(tensor.start_offset, *extent, &end) ||
      __builtin_mul_overflow(end, get_element_size(tensor.dtype), &end) ||
      __builtin_add_overflow(tensor.buffer.addr, end, &end)) {
    return fmt::format("the end leaves 64 bits: buffer.addr is {:#x}, start_offset {} and the extent {} elements",
                       tensor.buffer.addr, tensor.start_offset, *extent);
  }
  return {};
}

std::string info_defect(const TensorCreateInfo& info) {
  ChipTensor tensor;
  const bool row_major = tensor.set_row_major(info.shapes(), info.ndims());
  tensor.ndims = info.ndims();
  tensor.dtype = info.dtype();
  if (std::string defect = form_defect(tensor); !defect.empty()) return defect;
  return row_major
             ? ""
             : fmt::format("shapes {} need a stride above 2^32 - 1 elements", std::span(info.shapes(), info.ndims()));
}

}  // namespace svmrt
