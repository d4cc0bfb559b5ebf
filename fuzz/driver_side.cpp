// SPDX-License-Identifier: Apache-2.0
#include "fuzz/driver_side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/driver/acl_malloc.h"
#include "sim/driver/hal_flags.h"
#include "sim/driver/recording_backing.h"

namespace svmsim {

using svmrt::code_number;

std::string answer_text(const DriverAnswer& answer) {
  const std::string result = answer.result == kUntouched ? "no result" : fmt::format("result {:#x}", answer.result);
  const std::string bytes = answer.bytes.empty() ? "" : fmt::format(", bytes {:02x}", fmt::join(answer.bytes, " "));
  return fmt::format("code {}, {}{}", answer.code, result, bytes);
}

DriverState driver_state(const std::vector<BlockInfo>& blocks, const std::vector<MappedExtent>& mapped,
                         DeviceAddr base) {
  DriverState state;
  state.blocks.reserve(blocks.size());
  for (const BlockInfo& block : blocks) {
    state.blocks.emplace_back((block.base - base).count(), block.size.count(), block.kind);
  }
  state.mapped.reserve(mapped.size());
  for (const MappedExtent& extent : mapped) {
    state.mapped.emplace_back((extent.base - base).count(), extent.size.count(), extent.access);
  }
  return state;
}

std::string state_text(const DriverState& state) {
  std::string text = "blocks";
  for (const auto& [base, size, kind] : state.blocks) {
    text += fmt::format(" {:#x}+{} {}", base, size, page_kind_name(kind));
  }
  text += ", mapped";
  for (const auto& [base, size, access] : state.mapped) {
    text += fmt::format(" {:#x}+{}{}", base, size, access == HostAccess::kReadOnly ? " read-only" : "");
  }
  return text + fmt::format(", {} ns", state.now_ns);
}

DriverAnswer DriverSide::answer(const DriverCall& call) {
  DriverAnswer answer = carry_out(call, address(call));
  if (answer.code != 0) return answer;
  switch (call.kind) {
    case DriverCallKind::kAlloc:
    case DriverCallKind::kAclAlloc:
      slots_[call.slot] = answer.result;
      answer.result -= base().value();
      return answer;
    case DriverCallKind::kRegister:
      answer.result = has_identity() ? answer.result - base().value() : 0;
      return answer;
    default:
      return answer;
  }
}

namespace {
constexpr DeviceAddr kBase{0x12c000000000};  // P1
}  // namespace

struct BareSide::Driver {
  explicit Driver(const Platform& platform) : hal(make_hal_driver(platform, {kBase, size()}, backing)) {}
  RecordingBacking backing;
  std::unique_ptr<HalDriver> hal;
};

BareSide::BareSide(const Platform& platform) : own_(std::make_unique<Driver>(platform)) {}
BareSide::~BareSide() = default;

Bytes BareSide::size() { return kTiB; }
DeviceAddr BareSide::base() const { return kBase; }
DriverState BareSide::state() const {
  return driver_state(own_->hal->live_blocks(), own_->hal->mapped_extents(), kBase);
}

std::string BareSide::complaint() const {
  if (own_->backing.misuse().empty()) return {};
  return fmt::format("the driver {}", own_->backing.misuse().front());
}

DriverAnswer BareSide::carry_out(const DriverCall& call, std::uint64_t address) {
  HalDriver& hal = *own_->hal;
  const DeviceAddr source(address);
  const auto flag = static_cast<std::uint32_t>(call.flag);
  const auto allocated = [](const AllocOutcome& outcome) {
    const bool done = outcome.code == DriverCode::kNone;
    return DriverAnswer{code_number(outcome.code), done ? outcome.address.value() : kUntouched, {}};
  };
  switch (call.kind) {
    case DriverCallKind::kAlloc:
      return allocated(hal.mem_alloc(call.size, call.flag));
    case DriverCallKind::kAclAlloc:
      return allocated(acl_malloc(hal, p4_acl_malloc(call.size, AclMallocPolicy::kHugeFirst, 0)));
    case DriverCallKind::kFree:
    case DriverCallKind::kAclFree:
      return {code_number(hal.mem_free(source)), kUntouched, {}};
    case DriverCallKind::kRegister: {
      const RegisterOutcome outcome = hal.host_register(source, call.size, flag, call.device);
      DriverAnswer answer{code_number(outcome.code), kUntouched, {}};
      if (answer.code == 0) answer.result = reinterpret_cast<std::uint64_t>(outcome.host);
      return answer;
    }
    case DriverCallKind::kUnregister:
      return {code_number(hal.host_unregister(source, call.device).code), kUntouched, {}};
    case DriverCallKind::kUnregisterEx:
      return {code_number(hal.host_unregister_ex(source, call.device, flag).code), kUntouched, {}};
    case DriverCallKind::kFeature:
      return {0, hal.support_feature(call.device, static_cast<std::int32_t>(call.flag)) ? 1u : 0u, {}};
    case DriverCallKind::kMemCtl: {
      const MemCtlOutcome outcome = hal.mem_ctl(static_cast<std::int32_t>(call.flag), ~std::uint64_t{0}, call.device);
      return {code_number(outcome.code), outcome.code == DriverCode::kNone ? outcome.mask : kUntouched, {}};
    }
    case DriverCallKind::kDevicePointer:
      return {code_number(hal.host_get_device_pointer(address, call.device).code), kUntouched, {}};
    case DriverCallKind::kReopenDevice:
      hal.device_close();
      [[fallthrough]];
    case DriverCallKind::kOpenDevice:
      static_cast<void>(hal.support_feature(0, kFeatureRegisterQuery));
      return {};
    case DriverCallKind::kCopyToDevice:
    case DriverCallKind::kCopyFromDevice:
    case DriverCallKind::kSetMemory:
      break;
  }
  return {};
}

}  // namespace svmsim
