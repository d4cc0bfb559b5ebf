// SPDX-License-Identifier: Apache-2.0
#include "fuzz/machine_side.h"

#include "fuzz/library_calls.h"
#include "sim/acl/acl_codes.h"
#include "sim/driver/hal_flags.h"

namespace svmsim {

using svmrt::kRunnerTimeline;

namespace {
std::uint64_t now_ns(const Machine& machine) { return machine.now(kRunnerTimeline).count() / 1000; }
}  // namespace

DriverState machine_state(const Machine& machine) {
  DriverState state = driver_state(machine.live_blocks(), machine.mapped_extents(), machine.slice_base());
  state.now_ns = now_ns(machine);
  return state;
}

DriverState MachineSide::state() const {
  if (shown_ == Shown::kEverything) return machine_state(machine_);
  DriverState state;
  state.now_ns = now_ns(machine_);
  return state;
}

DriverAnswer MachineSide::carry_out(const DriverCall& call, std::uint64_t address) {
  const DeviceAddr source(address);
  const auto flag = static_cast<std::uint32_t>(call.flag);
  const auto only_code = [](svmrt::DriverCode code) { return DriverAnswer{svmrt::code_number(code), kUntouched, {}}; };
  switch (call.kind) {
    case DriverCallKind::kAlloc: {
      const AllocOutcome outcome = machine_.mem_alloc(kRunnerTimeline, call.size, call.flag);
      DriverAnswer answer = only_code(outcome.code);
      if (answer.code == 0) answer.result = outcome.address.value();
      return answer;
    }
    case DriverCallKind::kFree:
      return only_code(machine_.mem_free(kRunnerTimeline, source));
    case DriverCallKind::kRegister: {
      if (driver_ && call.flag == kDevSvmMapHost && call.device == 0) {
        const auto outcome = driver_->register_to_host(kRunnerTimeline, source, Bytes(call.size));
        return outcome.code == DriverCode::kNone ? view_answer(call, outcome.host) : only_code(outcome.code);
      }
      const RegisterOutcome outcome = machine_.host_register(kRunnerTimeline, source, call.size, flag, call.device);
      return outcome.code == DriverCode::kNone ? view_answer(call, outcome.host) : only_code(outcome.code);
    }
    case DriverCallKind::kUnregister:
      if (driver_ && call.device == 0) return only_code(driver_->unregister_from_host(kRunnerTimeline, source));
      return only_code(machine_.host_unregister(kRunnerTimeline, source, call.device).code);
    case DriverCallKind::kUnregisterEx:
      return only_code(machine_.host_unregister_ex(kRunnerTimeline, source, call.device, flag).code);
    case DriverCallKind::kFeature:
      return {0, machine_.support_feature(call.device, static_cast<std::int32_t>(call.flag)) ? 1u : 0u, {}};
    case DriverCallKind::kMemCtl: {
      const MemCtlOutcome outcome =
          machine_.mem_ctl(static_cast<std::int32_t>(call.flag), ~std::uint64_t{0}, call.device);
      DriverAnswer answer = only_code(outcome.code);
      if (answer.code == 0) answer.result = outcome.mask;
      return answer;
    }
    case DriverCallKind::kDevicePointer:
      return only_code(machine_.host_get_device_pointer(address, call.device).code);
    case DriverCallKind::kReopenDevice:
      machine_.device_close(kRunnerTimeline);
      [[fallthrough]];
    case DriverCallKind::kOpenDevice:
      driver_.emplace(machine_);
      return {};
    default:
      return carry_out_acl(call, address);
  }
}

// The ACL layer has checks of its own before it asks: null is 100000, a copy of nothing succeeds, a set of nothing is
// 100000.
DriverAnswer MachineSide::carry_out_acl(const DriverCall& call, std::uint64_t address) {
  const DeviceAddr at(address);
  const Bytes size(call.size);
  const auto coded = [](svmrt::DriverCode code) { return DriverAnswer{code_number(acl_code(code)), kUntouched, {}}; };
  if (call.kind == DriverCallKind::kAclAlloc) {
    const auto outcome = driver_->allocate(kRunnerTimeline, size);
    DriverAnswer answer = coded(outcome.code);
    if (answer.code == 0) answer.result = outcome.address.value();
    return answer;
  }
  const bool sets = call.kind == DriverCallKind::kSetMemory;
  const bool copies = sets || call.kind != DriverCallKind::kAclFree;
  if (at.is_null() || (sets && call.size == 0)) return {code_number(AclCode::kInvalidParam), kUntouched, {}};
  if (copies && call.size == 0) return {};
  if (sets) return coded(driver_->set_memory(kRunnerTimeline, at, call.value, size));
  if (!copies) return coded(driver_->free(kRunnerTimeline, at));
  std::vector<std::uint8_t> buffer(call.size, call.value);
  if (call.kind == DriverCallKind::kCopyToDevice) {
    return coded(driver_->copy_to_device(kRunnerTimeline, at, buffer.data(), size));
  }
  DriverAnswer answer = coded(driver_->copy_from_device(kRunnerTimeline, buffer.data(), at, size));
  if (answer.code == 0) answer.bytes = std::move(buffer);
  return answer;
}

}  // namespace svmsim
