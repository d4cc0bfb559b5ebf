// SPDX-License-Identifier: Apache-2.0
// Bit layouts and numbers of the driver's C interface, and their decoding. From the public CANN driver headers
// (hicann/driver ef377e9, ascend_hal_base.h and its v2 and v3 sources). Value types, thread-safe.
#pragma once

#include <cstdint>

#include "runtime/units.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

// --- Flag word of halMemAlloc ---------------------------------------------------------------------------------
inline constexpr std::uint64_t kAllocDeviceMask = 0x3ff;  // bits 0-9
inline constexpr unsigned kAllocSideShift = 10;           // bits 10-13
inline constexpr std::uint64_t kAllocSideMask = 0xf;
inline constexpr std::uint64_t kAllocHbm = std::uint64_t{1} << 14;
inline constexpr std::uint64_t kAllocHuge = std::uint64_t{1} << 17;
inline constexpr std::uint64_t kAllocContiguous = std::uint64_t{1} << 19;
inline constexpr std::uint64_t kAllocP2p = std::uint64_t{1} << 25;
inline constexpr std::uint64_t kAlloc4G = std::uint64_t{1} << 26;
inline constexpr std::uint64_t kAllocTs = std::uint64_t{1} << 27;
inline constexpr std::uint64_t kAllocReadOnly = std::uint64_t{1} << 29;
inline constexpr std::uint64_t kAllocGiant = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kAllocSideDevice = 0x400;

enum class MemorySide : std::uint8_t {
  kSvm = 0,
  kDevice = 1,
  kHost = 2,
  kDvpp = 3,
  kHostAgent = 4,
  kReserve = 5,
  kHostUva = 6,
  kUvm = 7,
};  // 8 to 15 are unknown to the driver

struct AllocFlag {
  std::uint32_t device_id = 0;
  MemorySide side = MemorySide::kSvm;
  bool huge = false;
  bool giant = false;
  bool contiguous = false;
  bool below_4g = false;
  bool task_scheduler = false;
  bool read_only = false;
};

[[nodiscard]] constexpr AllocFlag decode_alloc_flag(std::uint64_t flag) {
  AllocFlag decoded;
  decoded.device_id = static_cast<std::uint32_t>(flag & kAllocDeviceMask);
  decoded.side = static_cast<MemorySide>((flag >> kAllocSideShift) & kAllocSideMask);
  decoded.huge = (flag & kAllocHuge) != 0;
  decoded.giant = (flag & kAllocGiant) != 0;
  decoded.contiguous = (flag & kAllocContiguous) != 0;
  decoded.below_4g = (flag & kAlloc4G) != 0;
  decoded.task_scheduler = (flag & kAllocTs) != 0;
  decoded.read_only = (flag & kAllocReadOnly) != 0;
  return decoded;
}

// A giant flag together with huge is refused before the kind matters (P2).
[[nodiscard]] constexpr PageKind page_kind(const AllocFlag& flag) {
  if (flag.giant) return PageKind::kGiant;
  return flag.huge ? PageKind::kHuge : PageKind::kOrdinary;
}

// Device ids of the driver run from 0 to 65.
inline constexpr std::uint32_t kDeviceIdLimit = 66;

// --- Flag of halHostRegister and halHostUnregisterEx ------------------------------------------------------------
inline constexpr std::uint32_t kMapTypeMask = 0xffff;  // bits 0-15
inline constexpr std::uint32_t kMapTypeEnd = 7;
inline constexpr std::uint32_t kHostMemMapDev = 0;
inline constexpr std::uint32_t kHostSvmMapDev = 1;
inline constexpr std::uint32_t kDevSvmMapHost = 2;
inline constexpr std::uint32_t kHostMemMapDevPcieTh = 3;
inline constexpr std::uint32_t kDevMemMapHost = 4;
inline constexpr std::uint32_t kHostMemMapDma = 5;
inline constexpr std::uint32_t kHostIoMapDev = 6;
inline constexpr unsigned kProcessTypeShift = 16;
inline constexpr std::uint32_t kProcessTypeMaskV2 = 0x3f;  // v2 reads bits 16-21 only
inline constexpr std::uint32_t kProcessTypeEnd = 6;
inline constexpr std::uint32_t kProcessTypeCp1 = 0;
inline constexpr std::uint32_t kRegisterReadOnly = std::uint32_t{1} << 28;

struct RegisterFlag {
  std::uint32_t type = 0;
  std::uint32_t process_type_v2 = 0;
  bool read_only = false;
  bool above_type = false;  // any bit from 16 up: what v3 looks at
};

[[nodiscard]] constexpr RegisterFlag decode_register_flag(std::uint32_t flag) {
  RegisterFlag decoded;
  decoded.type = flag & kMapTypeMask;
  decoded.process_type_v2 = (flag >> kProcessTypeShift) & kProcessTypeMaskV2;
  decoded.read_only = (flag & kRegisterReadOnly) != 0;
  decoded.above_type = (flag & ~kMapTypeMask) != 0;
  return decoded;
}

// --- halSupportFeature -----------------------------------------------------------------------------------------
inline constexpr std::int32_t kFeatureUserMallocAttr = 2;
inline constexpr std::int32_t kFeatureVmmNormalGranularity = 6;
inline constexpr std::int32_t kFeatureHostUva = 8;
inline constexpr std::int32_t kFeatureRegisterQuery = 11;
inline constexpr std::int32_t kFeature12 = 12;

// --- halMemCtl -------------------------------------------------------------------------------------------------
inline constexpr std::int32_t kMemCtlSupportFeature = 2;
enum MemCtlMask : std::uint64_t {
  kMaskNumaTs = 0x1,
  kMaskPcieBarMem = 0x2,
  kMaskDevMemRegister = 0x4,
  kMaskPcieBarHugeMem = 0x8,
  kMaskGiantPage = 0x10,
  kMaskShmemMapExbus = 0x20,
};

}  // namespace svmsim
