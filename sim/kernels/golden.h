// SPDX-License-Identifier: Apache-2.0
// What an orchestration with real kernels should compute, from its arguments, by the mathematical definition in double:
// no kernel, no task and no rounding in between. Shares nothing with the kernels. Pure functions, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/orchestration/api/pto_tensor.h"

namespace svmsim {

// An argument of the orchestration, row-major without gaps.
struct GoldenTensor {
  std::vector<std::uint32_t> shape;
  DataType dtype = DataType::FLOAT32;
  std::span<const std::byte> bytes;
};

// Expected elements of each tensor that the orchestration computes, by argument index.
using GoldenOutputs = std::map<std::size_t, std::vector<double>>;

// `tensors` and `scalars` as the orchestration gets them, with their bytes before the run. The error names the argument
// that does not fit and what is allowed.
using GoldenFunction = tl::expected<GoldenOutputs, std::string> (*)(std::span<const GoldenTensor> tensors,
                                                                    std::span<const std::uint64_t> scalars);

// Null for an unknown name. README.md lists them.
[[nodiscard]] GoldenFunction find_golden(std::string_view name);
// Sorted.
[[nodiscard]] std::vector<std::string> golden_names();

// The element that lies furthest from what is expected, relative to what it may be away.
struct GoldenDifference {
  std::size_t element = 0;
  double expected = 0;
  double found = 0;
  double allowed = 0;  // absolute + relative * |expected|
  bool within = true;  // of every element; false also for a NaN that is not expected
};

// Nothing for a tensor of no elements. `found` has as many elements as `expected`; aborts otherwise.
[[nodiscard]] std::optional<GoldenDifference> worst_difference(std::span<const double> expected,
                                                               const GoldenTensor& found, double absolute,
                                                               double relative);

}  // namespace svmsim
