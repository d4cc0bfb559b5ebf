// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v2_driver.h"

namespace svmsim {

V2Driver::V2Driver(const Platform& platform, const AddressLayout& layout, Backing& backing)
    : capabilities_(r7_capabilities(platform)),
      mapped_(backing),
      allocator_(platform, layout, backing, mapped_),
      registration_(platform, allocator_, mapped_) {}

AllocOutcome V2Driver::mem_alloc(std::uint64_t size, std::uint64_t flag_word) {
  const AllocFlag flag = decode_alloc_flag(flag_word);
  if (const DriverCode code = p2_check_v2(size, flag, capabilities_); code != DriverCode::kNone) return {code, {}};
  return allocator_.allocate(Bytes(size), flag);
}

DriverCode V2Driver::mem_free(DeviceAddr base) { return allocator_.free(base); }

RegisterOutcome V2Driver::host_register(DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                        std::uint32_t device_id) {
  return registration_.register_to_host(source, size, flag, device_id);
}

UnregisterOutcome V2Driver::host_unregister(DeviceAddr source, std::uint32_t device_id) {
  return registration_.unregister(source, device_id);
}

UnregisterOutcome V2Driver::host_unregister_ex(DeviceAddr source, std::uint32_t device_id, std::uint32_t flag) {
  return registration_.unregister_ex(source, device_id, flag);
}

DevicePointerOutcome V2Driver::host_get_device_pointer(std::uint64_t host, std::uint32_t device_id) const {
  return registration_.host_get_device_pointer(host, device_id);
}

bool V2Driver::support_feature(std::uint32_t device_id, std::int32_t type) {
  const bool supported = feature_supported(Personality::kV2, device_id, type);
  if (supported && type == kFeatureRegisterQuery) registration_.switch_records_on();
  return supported;
}

MemCtlOutcome V2Driver::mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const {
  return mem_ctl_answer(capabilities_, type, mask, device_id);
}

DriverCode V2Driver::check_copy(DeviceAddr base, Bytes size) const {
  const auto place = allocator_.find(base);
  if (!place) return DriverCode::kParaError;
  const V2Heap& heap = *place->heap;
  const bool inside = svmrt::span_inside(base, size, heap.span.base, heap.span.size);
  return inside && heap.populated(Span{base, size}) ? DriverCode::kNone : DriverCode::kParaError;
}

void V2Driver::device_close() {
  mapped_.drop_all();
  allocator_.close();
  registration_.device_close();
}

}  // namespace svmsim
