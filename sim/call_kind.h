// SPDX-License-Identifier: Apache-2.0
// The kinds of call that a simulated machine records, and their names in traces and fault plans. Value type.
#pragma once

#include <cstdint>
#include <string_view>

namespace svmsim {

enum class CallKind : std::uint8_t {
  kAllocate,
  kFree,
  kRegister,
  kUnregister,
  kCopyToDevice,
  kCopyFromDevice,
  kSetMemory,
  kCopyOnDevice,  // address is where it copies to
  kClose,         // of the device: every block and mapping is gone
  kViewAccesses,  // not a call: loads and stores through views, charged at once; size is their number
  kLaunch,        // a task graph, from launch to completion; size is its number of tasks
};

// "allocate", "free", "register", …
[[nodiscard]] std::string_view call_kind_name(CallKind kind);

}  // namespace svmsim
