// SPDX-License-Identifier: Apache-2.0
// What each kernel function is called, how long it takes on its core, and what it computes: data of the scene. The
// durations are assumptions, all of them. Value type.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/units.h"
#include "sim/kernels/kernel.h"

namespace svmsim {

struct KernelEntry {
  std::string name;
  svmrt::Picoseconds duration;       // of one block on one core
  KernelFunction compute = nullptr;  // null: nobody said what it computes
};

struct KernelTable {
  std::map<std::int32_t, KernelEntry> by_function;
  // For a function id that the table does not name.
  svmrt::Picoseconds default_duration{std::uint64_t{10} * 1000 * 1000};

  [[nodiscard]] svmrt::Picoseconds duration_of(std::int32_t function) const {
    const auto found = by_function.find(function);
    return found == by_function.end() ? default_duration : found->second.duration;
  }
  // Null when nobody said.
  [[nodiscard]] KernelFunction compute_of(std::int32_t function) const {
    const auto found = by_function.find(function);
    return found == by_function.end() ? nullptr : found->second.compute;
  }
  // "function 7" for one that the table does not name.
  [[nodiscard]] std::string name_of(std::int32_t function) const {
    const auto found = by_function.find(function);
    return found == by_function.end() ? "function " + std::to_string(function) : found->second.name;
  }
};

}  // namespace svmsim
