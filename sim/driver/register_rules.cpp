// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/register_rules.h"
#include "sim/driver/page_walk.h"

namespace svmsim {

DriverCode r2_flag_v2(const RegisterFlag& flag) {
  if (flag.type >= kMapTypeEnd) return DriverCode::kNotSupport;
  if (flag.process_type_v2 >= kProcessTypeEnd) return DriverCode::kNotSupport;
  if (flag.read_only && (flag.type == kHostMemMapDevPcieTh || flag.type == kHostIoMapDev)) {
    return DriverCode::kNotSupport;
  }
  return DriverCode::kNone;
}

DriverCode r2_device_address_v2(const RegisterFlag& flag, std::uint64_t size, PageKind kind,
                                const Capabilities& capabilities) {
  if (flag.type == kDevMemMapHost) return DriverCode::kNotSupport;
  // Assumption: HOST_MEM_MAP_DMA mismatches a device address as 0, 1, 3 and 6 do.
  if (flag.type != kDevSvmMapHost) return DriverCode::kParaError;
  if (size == 0) return DriverCode::kParaError;
  if (flag.process_type_v2 != kProcessTypeCp1) return DriverCode::kNotSupport;
  if (!r7_can_map(capabilities, kind)) return DriverCode::kNotSupport;
  return DriverCode::kNone;
}

DriverCode r2_request_v3(const RegisterFlag& flag, DeviceAddr source, std::uint64_t size) {
  if (source.is_null()) return DriverCode::kParaError;
  if (size == 0 || source.value() + size < source.value()) return DriverCode::kParaError;
  if (flag.type >= kMapTypeEnd || flag.above_type) return DriverCode::kNotSupport;
  return DriverCode::kNone;
}

DriverCode r2_device_address_v3(const RegisterFlag& flag) {
  if (flag.type == kHostIoMapDev) return DriverCode::kParaError;
  // Assumption: HOST_MEM_MAP_DEV_PCIE_TH is refused as 0, 1, 4 and 5 are.
  return flag.type == kDevSvmMapHost ? DriverCode::kNone : DriverCode::kNotSupport;
}

DriverCode r2_null_destination(Personality personality, std::uint32_t flag) {
  if (personality == Personality::kV2) {
    const DriverCode code = r2_flag_v2(decode_register_flag(flag));
    if (code != DriverCode::kNone) return code;
  }
  return DriverCode::kInvalidValue;
}

bool r3_aligned_v2(const Platform& platform, PageKind kind, DeviceAddr source) {
  return is_multiple(source, p1_register_page(kind, platform.device_page));
}

bool r3_aligned_v3(const Platform& platform, PageKind kind, DeviceAddr source, Bytes size) {
  const Bytes page = p1_register_page(kind, platform.device_page);
  if (!is_multiple(source, page)) return false;
  if (!is_multiple(source, platform.host_page) || !is_multiple(round_up(size, page), platform.host_page)) return false;
  const bool host_page_spans_pages = page < platform.host_page;
  return !(host_page_spans_pages && platform.fragmented);
}

DriverCode u2_unregister_type(std::uint32_t flag) {
  const std::uint32_t type = flag & kMapTypeMask;
  if (type >= kMapTypeEnd) return DriverCode::kNotSupport;
  // Assumption: HOST_MEM_MAP_DMA looks in a table of its own and finds nothing, as DEV_MEM_MAP_HOST does.
  if (type == kDevMemMapHost || type == kHostMemMapDma) return DriverCode::kFileOps;
  return DriverCode::kNone;
}

bool u2_deletes_record(std::uint32_t flag) { return (flag & kMapTypeMask) == kDevSvmMapHost; }

}  // namespace svmsim
