// SPDX-License-Identifier: Apache-2.0
#include "sim/call_kind.h"

namespace svmsim {

std::string_view call_kind_name(CallKind kind) {
  switch (kind) {
    case CallKind::kAllocate:
      return "allocate";
    case CallKind::kFree:
      return "free";
    case CallKind::kRegister:
      return "register";
    case CallKind::kUnregister:
      return "unregister";
    case CallKind::kCopyToDevice:
      return "copy_to_device";
    case CallKind::kCopyFromDevice:
      return "copy_from_device";
    case CallKind::kSetMemory:
      return "set_memory";
    case CallKind::kCopyOnDevice:
      return "copy_on_device";
    case CallKind::kClose:
      return "close";
    case CallKind::kViewAccesses:
      return "view_accesses";
    case CallKind::kLaunch:
      return "launch";
  }
  return "unknown";
}

}  // namespace svmsim
