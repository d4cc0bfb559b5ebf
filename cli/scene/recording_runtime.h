// SPDX-License-Identifier: Apache-2.0
// A fake of the runtime behind an orchestration: runs one against a scene, without device, heap or dependencies, and
// records what it asked for. For tests. Thread-bound.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/scene/scene.h"
#include "runtime/orchestration/api/pto_ops.h"

namespace svmsim {

struct RecordedTensor {
  TensorArgType tag = TensorArgType::INPUT;
  ChipTensor tensor;
};

struct RecordedTask {
  bool is_alloc = false;
  MixedKernels kernels;
  std::int32_t block_num = 1;
  std::vector<RecordedTensor> tensors;  // created ones included
  std::vector<std::uint64_t> scalars;
};

struct Recording {
  std::int32_t expected_arg_count = 0;
  std::int32_t fatal_code = 0;  // 0: none
  std::string fatal_message;
  std::map<std::string, std::uint64_t> reads, writes;  // by argument name
  std::vector<RecordedTask> tasks;
  std::uint64_t heap_bytes = 0;  // end of the last output, each starting at a multiple of 1024
  // Of every argument that was accessed, as the orchestration left them.
  std::map<std::string, std::vector<std::byte>> bytes;
};

// Where argument `i` of a recorded scene lies; outputs lie below all of them.
[[nodiscard]] std::uint64_t recorded_address(std::size_t i);

// Runs the orchestration in the shared object `path` on the arguments of `scene`, filled with seed 1. An error to
// load it, or to access a byte of no argument, ends in fatal code -1.
[[nodiscard]] Recording record(const std::string& path, const Scene& scene);

}  // namespace svmsim
