// SPDX-License-Identifier: Apache-2.0
#include "fuzz/driver_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/driver/hal_flags.h"

namespace svmsim {

namespace {

using Call = DriverCallKind;

constexpr std::uint64_t kOrdinary = kAllocSideDevice | kAllocHbm;
// By run of an allocate.
constexpr std::array<std::uint64_t, kRuns> kAllocFlags = {kOrdinary, kOrdinary | kAllocHuge,
                                                          kOrdinary | kAllocReadOnly};
// By run of a claim: map types that want host memory, and process types at and beyond their ends.
constexpr std::array<std::uint64_t, kRuns> kOtherTypes = {kHostMemMapDev, kDevMemMapHost, kHostIoMapDev};
constexpr std::array<std::uint64_t, kRuns> kProcessTypes = {1, 5, 6};
constexpr std::array<std::uint32_t, kRuns> kDevices = {0, 65, 66};
constexpr std::array<std::int32_t, kRuns> kFeatures = {kFeatureUserMallocAttr, kFeatureRegisterQuery, 13};
// Far below what a machine has of addresses, and above every offset that a landmark of memory gives.
constexpr std::uint64_t kReach = std::uint64_t{8} << 30;

// A size around 20 MiB, the largest landmark that fits on the device, stands for one as far from the threshold of v2's
// cache (F2): 18 MiB of ordinary pages, 36 MiB of huge ones.
std::uint64_t at_threshold(std::uint64_t size, std::uint64_t flag) {
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  if (size < 19 * kMebi || size > 21 * kMebi) return size;
  return size - 20 * kMebi + ((flag & kAllocHuge) != 0 ? 36 : 18) * kMebi;
}

std::string_view name_of(Call kind) {
  constexpr std::array<std::string_view, 15> kNames = {"halMemAlloc",
                                                       "halMemFree",
                                                       "halHostRegister",
                                                       "halHostUnregister",
                                                       "halHostUnregisterEx",
                                                       "halSupportFeature",
                                                       "halMemCtl",
                                                       "halMemHostGetDevPointer",
                                                       "open device",
                                                       "reopen device",
                                                       "aclrtMalloc",
                                                       "aclrtFree",
                                                       "aclrtMemcpy to the device",
                                                       "aclrtMemcpy from the device",
                                                       "aclrtMemset"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string call_text(const DriverCall& call) {
  const std::string slot = call.slot == kScratchSlot ? "a slot of its own" : fmt::format("slot {}", call.slot);
  return fmt::format("{} {}, offset {}, size {}, flag {:#x}, device {}", name_of(call.kind), slot, call.offset,
                     call.size, call.flag, call.device);
}

bool CallReader::in_device_memory(const Operation& operation) const {
  return slots_[operation.slot].ever && operation.offset < kReach;
}

std::vector<DriverCall> CallReader::allocation(const Operation& operation) const {
  DriverCall call{.kind = Call::kAlloc, .slot = operation.slot, .size = operation.size};
  if (slots_[operation.slot].live) return {};
  // Assumption of the ACL layer: size 0 is its own error, whether a device is set or not.
  if (operation.run == kRunner && operation.size > 0 && (open_ || !acl_)) {
    call.kind = Call::kAclAlloc;
  } else {
    call.flag = kAllocFlags[operation.run % kRuns];
    call.size = at_threshold(operation.size, call.flag);
  }
  return {call};
}

std::vector<DriverCall> CallReader::registration(const Operation& operation) const {
  DriverCall call{.kind = Call::kRegister,
                  .slot = operation.slot,
                  .offset = operation.offset,
                  .size = operation.size,
                  .flag = kDevSvmMapHost};
  switch (operation.region) {
    case RegionKind::kChildMemory:
      call.device = kDevices[operation.run];
      break;
    case RegionKind::kStaged:
      call.flag |= kRegisterReadOnly;
      break;
    case RegionKind::kOutputOnly:
      if (!in_device_memory(operation)) return {};
      call.flag = kOtherTypes[operation.run];
      break;
    case RegionKind::kWithoutData:
      call.flag |= kProcessTypes[operation.run] << kProcessTypeShift;
      break;
  }
  return {call};
}

std::vector<DriverCall> CallReader::read(const Operation& operation) {
  DriverCall call{.slot = operation.slot,
                  .offset = operation.offset,
                  .size = operation.size,
                  .value = static_cast<std::uint8_t>(operation.value)};
  switch (operation.kind) {
    case OperationKind::kAllocate:
      return allocation(operation);
    case OperationKind::kFree:
      call.kind = operation.run == kRunner && open_ && acl_ ? Call::kAclFree : Call::kFree;
      return {call};
    case OperationKind::kOpenRun:
      call.kind = operation.run == 0 ? Call::kOpenDevice : Call::kFeature;
      if (operation.run == 0 && open_) return {};
      call.flag = static_cast<std::uint64_t>(kFeatures[operation.run]);
      return {call};
    case OperationKind::kClaim:
      return registration(operation);
    case OperationKind::kRegister:
      call.kind = Call::kRegister;
      call.flag = kDevSvmMapHost;
      return {call};
    case OperationKind::kUnregister:
      call.kind = Call::kUnregister;
      call.device = operation.run == 2 ? 1 : 0;
      return {call};
    case OperationKind::kDeviceWrite:
      call.kind = Call::kUnregisterEx;
      call.flag = operation.value % (kMapTypeEnd + 1);
      return {call};
    case OperationKind::kStrangerUnmaps:
      call.kind = Call::kUnregisterEx;
      call.flag = kDevSvmMapHost;
      return {call};
    case OperationKind::kStrangerMaps:
      call.kind = Call::kRegister;
      call.size = slots_[operation.slot].size;
      call.flag = kDevSvmMapHost;
      return {call};
    case OperationKind::kStrangerLeaks: {
      if (slots_[kScratchSlot].live) return {};
      const DriverCall made{
          .kind = Call::kAlloc, .slot = kScratchSlot, .size = operation.size, .flag = kOrdinary | kAllocContiguous};
      DriverCall mapped = made;
      mapped.kind = Call::kRegister;
      mapped.flag = kDevSvmMapHost;
      DriverCall freed = made;
      freed.kind = Call::kFree;
      return {made, mapped, freed};
    }
    case OperationKind::kCloseViews:
      call.kind = Call::kDevicePointer;
      call.slot = operation.run;
      return {call};
    case OperationKind::kEndRun:
    case OperationKind::kFailNext:
      call.kind = Call::kMemCtl;
      call.device = kDevices[operation.run];
      call.flag =
          operation.kind == OperationKind::kEndRun ? kMemCtlSupportFeature : static_cast<std::uint64_t>(operation.call);
      return {call};
    case OperationKind::kFinalize:
    case OperationKind::kRestart:
    case OperationKind::kLoseDevice:
      call.kind = Call::kReopenDevice;
      return {call};
    case OperationKind::kUpload:
    case OperationKind::kWrite:
      call.kind = Call::kCopyToDevice;
      call.flag = operation.kind == OperationKind::kWrite ? 1 : 0;
      break;
    case OperationKind::kDownload:
    case OperationKind::kRead:
      call.kind = Call::kCopyFromDevice;
      call.flag = operation.kind == OperationKind::kRead ? 1 : 0;
      break;
    case OperationKind::kSetMemory:
      call.kind = Call::kSetMemory;
      break;
    case OperationKind::kFork:
    case OperationKind::kRace:
      return {};
  }
  if (!acl_ || !open_ || !in_device_memory(operation)) return {};
  return {call};
}

void CallReader::note(const DriverCall& call, std::int32_t code) {
  Slot& slot = slots_[call.slot];
  const bool frees = call.kind == Call::kFree || call.kind == Call::kAclFree;
  // Whether this frees the slot's block, or that was freed before, through the address of another slot.
  if (frees && call.offset == 0 && (code == 0 || code == svmrt::code_number(svmrt::DriverCode::kInvalidValue))) {
    slot.live = false;
  }
  if (code != 0) return;
  switch (call.kind) {
    case Call::kAlloc:
    case Call::kAclAlloc:
      slot = {true, true, call.size};
      return;
    case Call::kOpenDevice:
      open_ = true;
      return;
    case Call::kReopenDevice:
      open_ = true;
      for (Slot& each : slots_) each.live = false;
      return;
    default:
      return;
  }
}

}  // namespace svmsim
