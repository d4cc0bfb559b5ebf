// SPDX-License-Identifier: Apache-2.0
#include "fuzz/library_side.h"

#include "fuzz/machine_side.h"
#include "sim/acl/acl_runtime.h"
#include "sim/driver/hal_flags.h"
#include "sim/dropin/implementation.h"
#include "sim/dropin/process.h"

namespace svmsim {

namespace {
Simulation* current_simulation = nullptr;  // the simulation of the side that there is
}  // namespace

// In place of sim/dropin/process.cpp.
Process& Process::instance() {
  static constinit Process process;
  return process;
}
bool Process::is_child() const { return false; }
Simulation& Process::ready() { return *current_simulation; }

LibrarySide::LibrarySide(std::unique_ptr<Simulation> simulation) : simulation_(std::move(simulation)) {
  current_simulation = simulation_.get();
}

// What the ACL layer keeps of this thread must not reach the next simulation.
LibrarySide::~LibrarySide() {
  if (open_) static_cast<void>(svmsim_aclrtResetDevice(0));
  static_cast<void>(svmsim_aclrtGetLastError(0));
  static_cast<void>(simulation_->finish());
  current_simulation = nullptr;
}

// As the report and a program see it.
DriverState LibrarySide::state() const {
  DriverState state = machine_state(simulation_->machine());
  state.now_ns = svmsim_svmsim_now_ns();
  return state;
}

DeviceAddr LibrarySide::base() const { return simulation_->machine().slice_base(); }

DriverAnswer LibrarySide::carry_out(const DriverCall& call, std::uint64_t address) {
  void* const pointer = reinterpret_cast<void*>(address);
  void* place = reinterpret_cast<void*>(kUntouched);
  const auto flag = static_cast<std::uint32_t>(call.flag);
  const auto placed = [&](std::int32_t code) { return DriverAnswer{code, reinterpret_cast<std::uint64_t>(place), {}}; };
  switch (call.kind) {
    case DriverCallKind::kAlloc:
      return placed(svmsim_halMemAlloc(&place, call.size, call.flag));
    case DriverCallKind::kFree:
      return {svmsim_halMemFree(pointer), kUntouched, {}};
    case DriverCallKind::kRegister: {
      const DriverAnswer answer = placed(svmsim_halHostRegister(pointer, call.size, flag, call.device, &place));
      return answer.code == 0 ? view_answer(simulation_->machine(), call, place) : placed(answer.code);
    }
    case DriverCallKind::kUnregister:
      return {svmsim_halHostUnregister(pointer, call.device), kUntouched, {}};
    case DriverCallKind::kUnregisterEx:
      return {svmsim_halHostUnregisterEx(pointer, call.device, flag), kUntouched, {}};
    case DriverCallKind::kFeature:
      return {0, svmsim_halSupportFeature(call.device, static_cast<std::int32_t>(call.flag)) ? 1u : 0u, {}};
    case DriverCallKind::kMemCtl: {
      struct Features {
        std::uint64_t mask;
        std::uint32_t device;
        std::uint32_t padding;
      } in{~std::uint64_t{0}, call.device, 0}, out{kUntouched, 0, 0};
      std::size_t out_size = sizeof out;
      const std::int32_t code = svmsim_halMemCtl(static_cast<std::int32_t>(call.flag), &in, sizeof in, &out, &out_size);
      return {code, out.mask, {}};
    }
    case DriverCallKind::kDevicePointer:
      return placed(svmsim_halMemHostGetDevPointer(pointer, call.device, &place));
    case DriverCallKind::kOpenDevice:
      return open(false);
    case DriverCallKind::kReopenDevice:
      return open(true);
    default:
      return carry_out_acl(call, pointer);
  }
}

DriverAnswer LibrarySide::open(bool again) {
  DriverAnswer answer;
  const auto call = [&](std::int32_t code) {
    if (answer.code == 0) answer.code = code;
  };
  if (!open_) {
    call(svmsim_aclInit(nullptr));
    call(svmsim_aclrtSetDevice(0));
    open_ = true;
  }
  if (again) {
    call(svmsim_aclrtResetDevice(0));
    call(svmsim_aclrtSetDevice(0));
  }
  return answer;
}

DriverAnswer LibrarySide::carry_out_acl(const DriverCall& call, void* pointer) {
  const auto kind = [&](AclCopyKind direction) {
    return static_cast<std::uint32_t>(call.flag != 0 ? AclCopyKind::kDefault : direction);
  };
  std::vector<std::uint8_t> buffer(call.kind == DriverCallKind::kAclAlloc ? 0 : call.size, call.value);
  std::uint8_t nothing = 0;
  std::uint8_t* const bytes = buffer.empty() ? &nothing : buffer.data();  // never null
  switch (call.kind) {
    case DriverCallKind::kAclAlloc: {
      void* place = reinterpret_cast<void*>(kUntouched);
      const std::int32_t code = svmsim_aclrtMalloc(&place, call.size, 0);
      return {code, reinterpret_cast<std::uint64_t>(place), {}};
    }
    case DriverCallKind::kAclFree:
      return {svmsim_aclrtFree(pointer), kUntouched, {}};
    case DriverCallKind::kSetMemory:
      return {svmsim_aclrtMemset(pointer, call.size, call.value, call.size), kUntouched, {}};
    case DriverCallKind::kCopyToDevice:
      return {
          svmsim_aclrtMemcpy(pointer, call.size, bytes, call.size, kind(AclCopyKind::kHostToDevice)), kUntouched, {}};
    default: {
      DriverAnswer answer;
      answer.code = svmsim_aclrtMemcpy(bytes, call.size, pointer, call.size, kind(AclCopyKind::kDeviceToHost));
      if (answer.code == 0) answer.bytes = std::move(buffer);
      return answer;
    }
  }
}

}  // namespace svmsim
