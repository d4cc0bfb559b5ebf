// SPDX-License-Identifier: Apache-2.0
// Whether what a program passes to a submit describes a tensor: descriptors are plain structs that programs can edit.
// Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/orchestration/api/pto_types.h"

namespace svmrt {

// Of one tensor argument. A tensor in memory of its own has fewer: it would take 64 GiB. What can have more is a
// broadcast with stride 0, and whoever visits its elements would not come to an end.
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 36;

// What is wrong, with the field and its value ("ndims is 6; ..."); empty for a tensor that can be used: 1 to
// MAX_TENSOR_DIMS dimensions, a DataType, at most kMostElements, an extent that is that of shapes and strides, and an
// address that is not null and from which all elements stay within 64 bits.
[[nodiscard]] std::string tensor_defect(const ChipTensor& tensor);

// The same for a tensor that is to be created, which has no address; its strides must be below 2^32 elements.
[[nodiscard]] std::string info_defect(const TensorCreateInfo& info);

}  // namespace svmrt
