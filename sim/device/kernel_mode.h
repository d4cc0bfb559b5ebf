// SPDX-License-Identifier: Apache-2.0
// What the tasks of a simulated device do to the bytes of their tensors. Thread-safe: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svmsim {

enum class KernelMode : std::uint8_t {
  kReal,    // the function's kernel on the CPU
  kDigest,  // outputs derived from everything that the task reads
  kNone,    // nothing
};

inline constexpr std::string_view kKernelModeNames = "real, digest, none";

constexpr std::string_view kernel_mode_name(KernelMode mode) {
  switch (mode) {
    case KernelMode::kReal:
      return "real";
    case KernelMode::kDigest:
      return "digest";
    case KernelMode::kNone:
      return "none";
  }
  return "";
}

constexpr std::optional<KernelMode> kernel_mode_from_name(std::string_view name) {
  for (const KernelMode mode : {KernelMode::kReal, KernelMode::kDigest, KernelMode::kNone}) {
    if (kernel_mode_name(mode) == name) return mode;
  }
  return std::nullopt;
}

}  // namespace svmsim
