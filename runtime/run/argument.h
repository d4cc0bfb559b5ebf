// SPDX-License-Identifier: Apache-2.0
// The arguments of a run as the host program describes them. Value types, thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/orchestration/api/pto_types.h"
#include "runtime/units.h"

namespace svmrt {

enum class Direction { kIn, kOut, kInout };

enum class Residency {
  kStaged,       // lives in a host buffer; each run gets a device copy and brings outputs back
  kChildMemory,  // lives on the device; the host reaches it through the runner's host-view cache
};

struct TensorArgument {
  std::string name;
  std::vector<std::uint32_t> shape;  // 1 to MAX_TENSOR_DIMS dimensions, each at least 1, row-major contiguous
  DataType dtype = DataType::FLOAT32;
  Direction direction = Direction::kIn;
  Residency residency = Residency::kStaged;
  // Staged: the caller's buffer of size() bytes, borrowed while a run is open. Child memory: the bytes to upload at
  // set-up, borrowed until set-up returns; null for direction kOut.
  void* host = nullptr;
  // False: an address and a size without meaningful bytes; the orchestration can neither read nor write them.
  bool has_data = true;

  [[nodiscard]] Bytes size() const;
};

}  // namespace svmrt
