// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/alloc_rules.h"

#include <algorithm>

namespace svmsim {
namespace {

inline constexpr Bytes kContiguousLimitV2 = times(4, kMiB);  // P2, equality allowed
inline constexpr Bytes kAddressSpaceV2 = times(8, kTiB);
inline constexpr Bytes kAddressSpaceV3 = times(208, kTiB);

// Assumption: device memory is the only side that is simulated. The other known ones (SVM, HOST, DVPP, ...) answer
// as an unsupported side does. On v3 that is the driver's own answer for SVM, HOST_AGENT and RESERVE.
bool side_served(MemorySide side) { return side == MemorySide::kDevice; }

}  // namespace

Capabilities r7_capabilities(const Platform& platform) {
  const bool write_combine = platform.host == HostKind::kPhysical;
  Capabilities capabilities;
  capabilities.bar_ordinary = write_combine && platform.device_page == platform.host_page;
  capabilities.bar_huge = write_combine;
  capabilities.giant_page = true;  // assumption: every simulated device has giant pages
  capabilities.numa_ts = false;    // assumption: none has memory of the task scheduler
  return capabilities;
}

bool r7_can_map(const Capabilities& capabilities, PageKind kind) {
  return kind == PageKind::kOrdinary ? capabilities.bar_ordinary : capabilities.bar_huge;
}

Bytes p2_granularity(PageKind kind) {
  switch (kind) {
    case PageKind::kOrdinary:
      return times(4, kKiB);
    case PageKind::kHuge:
      return times(2, kMiB);
    case PageKind::kGiant:
      break;
  }
  return kGiB;
}

DriverCode p2_check_v2(std::uint64_t size, const AllocFlag& flag, const Capabilities& capabilities) {
  if (flag.giant && !capabilities.giant_page) return DriverCode::kNotSupport;
  // Assumption: of the other flags only TS depends on a capability; unknown bits are ignored.
  if (flag.task_scheduler && !capabilities.numa_ts) return DriverCode::kNotSupport;
  if (flag.giant && flag.huge) return DriverCode::kInvalidValue;
  if (flag.contiguous && (flag.huge || size > kContiguousLimitV2.count())) return DriverCode::kInvalidValue;
  if (!side_served(flag.side)) return DriverCode::kNotSupport;
  if (flag.device_id >= kDeviceIdLimit) return DriverCode::kInvalidDevice;
  if (size == 0) return DriverCode::kInvalidValue;
  if (size >= kAddressSpaceV2.count()) return DriverCode::kOutOfMemory;
  return DriverCode::kNone;
}

// Assumption: v3 checks the device id and the size where v2 does, and refuses giant without the capability first.
DriverCode p2_check_v3(std::uint64_t size, const AllocFlag& flag, const Capabilities& capabilities) {
  if (flag.giant && !capabilities.giant_page) return DriverCode::kNotSupport;
  if (!side_served(flag.side)) return DriverCode::kNotSupport;
  if (flag.below_4g || flag.task_scheduler || flag.read_only) return DriverCode::kNotSupport;
  if (flag.contiguous && flag.huge) return DriverCode::kNotSupport;
  if (flag.giant && flag.huge) return DriverCode::kInvalidValue;
  if (flag.device_id >= kDeviceIdLimit) return DriverCode::kInvalidDevice;
  if (size == 0) return DriverCode::kInvalidValue;
  if (size > kAddressSpaceV3.count()) return DriverCode::kOutOfMemory;
  return DriverCode::kNone;
}

// Assumptions: features 2, 6, 8 and 12 are there on both, everything unnamed is not; a bad device id has none.
bool feature_supported(Personality personality, std::uint32_t device_id, std::int32_t type) {
  if (device_id >= kDeviceIdLimit) return false;
  switch (type) {
    case kFeatureUserMallocAttr:
    case kFeatureVmmNormalGranularity:
    case kFeatureHostUva:
    case kFeature12:
      return personality != Personality::kIdentity;
    case kFeatureRegisterQuery:
      return personality == Personality::kV2;
    default:
      return false;
  }
}

// Assumptions: DEV_MEM_REGISTER and SHMEM_MAP_EXBUS are never there; another type of halMemCtl is not supported; the
// device id is checked after the type.
MemCtlOutcome mem_ctl_answer(const Capabilities& capabilities, std::int32_t type, std::uint64_t mask,
                             std::uint32_t device_id) {
  if (type != kMemCtlSupportFeature) return {DriverCode::kNotSupport, 0};
  if (device_id >= kDeviceIdLimit) return {DriverCode::kInvalidDevice, 0};
  std::uint64_t supported = 0;
  if (capabilities.bar_ordinary) supported |= kMaskPcieBarMem;
  if (capabilities.bar_huge) supported |= kMaskPcieBarHugeMem;
  if (capabilities.giant_page) supported |= kMaskGiantPage;
  if (capabilities.numa_ts) supported |= kMaskNumaTs;
  return {DriverCode::kNone, mask & supported};
}

}  // namespace svmsim
