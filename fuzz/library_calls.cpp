// SPDX-License-Identifier: Apache-2.0
#include "fuzz/library_calls.h"

#include "sim/acl/acl_runtime.h"
#include "sim/driver/hal_flags.h"

namespace svmsim {

DriverAnswer view_answer(const DriverCall& call, const void* view) {
  const auto* const bytes = static_cast<const std::uint8_t*>(view);
  return {0, reinterpret_cast<std::uint64_t>(view), {bytes[0], bytes[call.size - 1]}};
}

void LibraryCaller::close() {
  if (open_) static_cast<void>(functions_.aclrtResetDevice(0));
  static_cast<void>(functions_.aclrtGetLastError(0));
}

DriverAnswer LibraryCaller::carry_out(const DriverCall& call, std::uint64_t address) {
  void* const pointer = reinterpret_cast<void*>(address);
  void* place = reinterpret_cast<void*>(kUntouched);
  const auto flag = static_cast<std::uint32_t>(call.flag);
  const auto placed = [&](std::int32_t code) { return DriverAnswer{code, reinterpret_cast<std::uint64_t>(place), {}}; };
  switch (call.kind) {
    case DriverCallKind::kAlloc:
      return placed(functions_.halMemAlloc(&place, call.size, call.flag));
    case DriverCallKind::kFree:
      return {functions_.halMemFree(pointer), kUntouched, {}};
    case DriverCallKind::kRegister: {
      const DriverAnswer answer = placed(functions_.halHostRegister(pointer, call.size, flag, call.device, &place));
      return answer.code == 0 ? view_answer(call, place) : placed(answer.code);
    }
    case DriverCallKind::kUnregister:
      return {functions_.halHostUnregister(pointer, call.device), kUntouched, {}};
    case DriverCallKind::kUnregisterEx:
      return {functions_.halHostUnregisterEx(pointer, call.device, flag), kUntouched, {}};
    case DriverCallKind::kFeature:
      return {0, functions_.halSupportFeature(call.device, static_cast<std::int32_t>(call.flag)) ? 1u : 0u, {}};
    case DriverCallKind::kMemCtl: {
      struct Features {
        std::uint64_t mask;
        std::uint32_t device;
        std::uint32_t padding;
      } in{~std::uint64_t{0}, call.device, 0}, out{kUntouched, 0, 0};
      std::size_t out_size = sizeof out;
      const std::int32_t code =
          functions_.halMemCtl(static_cast<std::int32_t>(call.flag), &in, sizeof in, &out, &out_size);
      return {code, out.mask, {}};
    }
    case DriverCallKind::kDevicePointer:
      if (functions_.halMemHostGetDevPointer == nullptr) return {kNoFunction, kUntouched, {}};
      return placed(functions_.halMemHostGetDevPointer(pointer, call.device, &place));
    case DriverCallKind::kOpenDevice:
      return open(false);
    case DriverCallKind::kReopenDevice:
      return open(true);
    default:
      return carry_out_acl(call, pointer);
  }
}

DriverAnswer LibraryCaller::open(bool again) {
  DriverAnswer answer;
  const auto call = [&](std::int32_t code) {
    if (answer.code == 0) answer.code = code;
  };
  if (!open_) {
    call(functions_.aclInit(nullptr));
    call(functions_.aclrtSetDevice(0));
    open_ = true;
  }
  if (again) {
    call(functions_.aclrtResetDevice(0));
    call(functions_.aclrtSetDevice(0));
  }
  return answer;
}

DriverAnswer LibraryCaller::carry_out_acl(const DriverCall& call, void* pointer) const {
  const auto kind = [&](AclCopyKind direction) {
    return static_cast<std::uint32_t>(call.flag != 0 ? AclCopyKind::kDefault : direction);
  };
  std::vector<std::uint8_t> buffer(call.kind == DriverCallKind::kAclAlloc ? 0 : call.size, call.value);
  std::uint8_t nothing = 0;
  std::uint8_t* const bytes = buffer.empty() ? &nothing : buffer.data();  // never null
  switch (call.kind) {
    case DriverCallKind::kAclAlloc: {
      void* place = reinterpret_cast<void*>(kUntouched);
      const std::int32_t code = functions_.aclrtMalloc(&place, call.size, 0);
      return {code, reinterpret_cast<std::uint64_t>(place), {}};
    }
    case DriverCallKind::kAclFree:
      return {functions_.aclrtFree(pointer), kUntouched, {}};
    case DriverCallKind::kSetMemory:
      return {functions_.aclrtMemset(pointer, call.size, call.value, call.size), kUntouched, {}};
    case DriverCallKind::kCopyToDevice:
      return {functions_.aclrtMemcpy(pointer, call.size, bytes, call.size, kind(AclCopyKind::kHostToDevice)),
              kUntouched,
              {}};
    default: {
      DriverAnswer answer;
      answer.code = functions_.aclrtMemcpy(bytes, call.size, pointer, call.size, kind(AclCopyKind::kDeviceToHost));
      if (answer.code == 0) answer.bytes = std::move(buffer);
      return answer;
    }
  }
}

}  // namespace svmsim
