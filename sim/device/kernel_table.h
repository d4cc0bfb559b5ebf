// SPDX-License-Identifier: Apache-2.0
// How long each kernel function takes on its core: figures of the scene, all of them assumptions. Value type.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/units.h"

namespace svmsim {

struct KernelTiming {
  std::string name;
  svmrt::Picoseconds duration;  // of one block on one core
};

struct KernelTable {
  std::map<std::int32_t, KernelTiming> by_function;
  // For a function id that the table does not name.
  svmrt::Picoseconds default_duration{std::uint64_t{10} * 1000 * 1000};

  [[nodiscard]] svmrt::Picoseconds duration_of(std::int32_t function) const {
    const auto found = by_function.find(function);
    return found == by_function.end() ? default_duration : found->second.duration;
  }
};

}  // namespace svmsim
