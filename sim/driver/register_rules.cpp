// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/register_rules.h"
#include "sim/driver/page_walk.h"

namespace svmsim {
namespace {

bool maps_host_memory(std::uint32_t type) { return type != kDevSvmMapHost && type != kDevMemMapHost; }

// Assumption: host memory is refused as device memory is: null, empty, wrapping or unaligned ranges are 8.
DriverCode r8_range(const Platform& platform, DeviceAddr source, std::uint64_t size) {
  if (source.is_null() || size == 0) return DriverCode::kParaError;
  if (round_up(source + Bytes(size), platform.host_page) <= source) return DriverCode::kParaError;  // wraps
  const bool aligned = platform.lenient || is_multiple(source, platform.host_page);
  return aligned ? DriverCode::kNone : DriverCode::kParaError;
}

}  // namespace

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

// Assumption: DEV_MEM_MAP_HOST on a host address is not supported.
DriverCode r8_host_memory_v2(const Platform& platform, const RegisterFlag& flag, DeviceAddr source, std::uint64_t size,
                             std::uint32_t device_id) {
  if (device_id >= kDeviceIdLimit) return DriverCode::kInvalidDevice;
  if (flag.type == kDevSvmMapHost) return DriverCode::kParaError;
  if (!maps_host_memory(flag.type)) return DriverCode::kNotSupport;
  return r8_range(platform, source, size);
}

// Assumption: a bad device id is an invalid device for the types that map host memory too.
DriverCode r8_host_memory_v3(const Platform& platform, const RegisterFlag& flag, DeviceAddr source, std::uint64_t size,
                             std::uint32_t device_id) {
  if (!maps_host_memory(flag.type) || device_id >= kDeviceIdLimit) return DriverCode::kInvalidDevice;
  return r8_range(platform, source, size);
}

DriverCode u2_unregister_type(std::uint32_t flag) {
  const std::uint32_t type = flag & kMapTypeMask;
  if (type >= kMapTypeEnd) return DriverCode::kNotSupport;
  // Assumption: HOST_MEM_MAP_DMA looks in a table of its own and finds nothing, as DEV_MEM_MAP_HOST does.
  if (type == kDevMemMapHost || type == kHostMemMapDma) return DriverCode::kFileOps;
  return DriverCode::kNone;
}

bool u2_deletes_record(std::uint32_t flag) { return (flag & kMapTypeMask) == kDevSvmMapHost; }

bool u2_drops_host_memory(std::uint32_t type, std::uint32_t flag) {
  const std::uint32_t asked = flag & kMapTypeMask;
  return asked == type || asked == kHostMemMapDev || asked == kHostMemMapDevPcieTh;
}

}  // namespace svmsim
