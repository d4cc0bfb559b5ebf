// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v2_registration.h"

#include <iterator>

#include "sim/driver/page_walk.h"
#include "sim/driver/register_rules.h"

namespace svmsim {

void V2Records::add(std::uint32_t device_id, Span span) {
  const auto next = ends_.lower_bound({device_id, span.base});
  if (next != ends_.end() && next->first.first == device_id && next->first.second < span.end()) return;
  if (next != ends_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first.first == device_id && span.base < previous->second) return;
  }
  ends_.emplace_hint(next, std::pair(device_id, span.base), span.end());
}

bool V2Records::contains(std::uint32_t device_id, DeviceAddr base) const { return ends_.contains({device_id, base}); }

RegisterOutcome V2Registration::register_to_host(DeviceAddr source, std::uint64_t size, std::uint32_t flag_word,
                                                 std::uint32_t device_id) {
  const RegisterFlag flag = decode_register_flag(flag_word);
  if (const DriverCode code = r2_flag_v2(flag); code != DriverCode::kNone) return {code, nullptr, {}};
  if (!allocator_.is_svm(source)) return register_host_memory(source, size, flag, device_id);  // R8
  const auto place = allocator_.find(source);
  if (!place) return {DriverCode::kParaError, nullptr, {}};  // R10
  const V2Heap& heap = *place->heap;
  const PageKind kind = heap.key.kind;
  if (const DriverCode code = r2_device_address_v2(flag, size, kind, capabilities_); code != DriverCode::kNone) {
    return {code, nullptr, {}};
  }

  // The rest of R2 answers 8 throughout: bounds of the heap, alignment, overlap, read-only, missing pages (R3-R6, R9).
  if (!svmrt::span_inside(source, Bytes(size), heap.span.base, heap.span.size)) {
    return {DriverCode::kParaError, nullptr, {}};
  }
  if (!platform_.lenient && !r3_aligned_v2(platform_, kind, source)) return {DriverCode::kParaError, nullptr, {}};
  const DeviceAddr base = effective_base(source, kind);
  const Span pages = span_between(base, round_up(source + Bytes(size), p1_register_page(kind, platform_.device_page)));
  if (!platform_.lenient && mapped_.overlaps(pages)) return {DriverCode::kParaError, nullptr, {}};
  if (heap.key.read_only || !heap.populated(pages)) return {DriverCode::kParaError, nullptr, {}};

  const HostAccess access = flag.read_only ? HostAccess::kReadOnly : HostAccess::kReadWrite;
  void* host = platform_.lenient ? mapped_.map_missing(pages, access) : mapped_.map(pages, access);
  if (records_on_) records_.add(heap.key.device_id, pages);
  return {DriverCode::kNone, static_cast<std::byte*>(host) + (source - base).count(),
          page_walk(pages.size, kind, platform_.device_page, platform_.host_page)};
}

RegisterOutcome V2Registration::register_host_memory(DeviceAddr source, std::uint64_t size, const RegisterFlag& flag,
                                                     std::uint32_t device_id) {
  const DriverCode code = r8_host_memory_v2(platform_, flag, source, size, device_id);
  if (code != DriverCode::kNone) return {code, nullptr, {}};
  return host_ranges_.add({source, Bytes(size), flag.type, device_id, records_on_}, DriverCode::kParaError);
}

const HostRange* V2Registration::find_host_range(DeviceAddr source, std::uint32_t device_id) const {
  const HostRange* const range = host_ranges_.find(source, device_id);
  return range != nullptr && (range->recorded || !records_on_) ? range : nullptr;
}

UnregisterOutcome V2Registration::unregister(DeviceAddr source, std::uint32_t device_id) {
  if (find_host_range(source, device_id) != nullptr) return {DriverCode::kNone, host_ranges_.remove(source)};
  if (!records_on_) return unregister_ex(source, device_id, kDevSvmMapHost);  // U2: behaves as Ex
  DeviceAddr base = source;
  if (const auto place = allocator_.find(source)) base = effective_base(source, place->heap->key.kind);
  if (!records_.contains(device_id, base)) return {DriverCode::kNotExist, {}};
  const UnregisterOutcome outcome = unmap(base);
  // Assumption: a record whose unmap fails stays, so that asking again answers 8 again.
  if (outcome.code == DriverCode::kNone) records_.erase(device_id, base);
  return outcome;
}

UnregisterOutcome V2Registration::unregister_ex(DeviceAddr source, std::uint32_t device_id, std::uint32_t flag) {
  const HostRange* const range = host_ranges_.find(source, device_id);
  if (range != nullptr && u2_drops_host_memory(range->type, flag)) {
    return {DriverCode::kNone, host_ranges_.remove(source)};
  }
  if (const DriverCode code = u2_unregister_type(flag); code != DriverCode::kNone) return {code, {}};
  if (!allocator_.is_svm(source)) return {DriverCode::kFileOps, {}};
  const auto place = allocator_.find(source);
  if (!place) return {DriverCode::kParaError, {}};
  const DeviceAddr base = effective_base(source, place->heap->key.kind);
  const UnregisterOutcome outcome = unmap(base);
  if (outcome.code == DriverCode::kNone && u2_deletes_record(flag)) records_.erase(place->heap->key.device_id, base);
  return outcome;
}

// U3: a mapping is dropped up to the end of the segment of its first page.
UnregisterOutcome V2Registration::unmap(DeviceAddr base) {
  const auto place = allocator_.find(base);
  if (!place) return {DriverCode::kParaError, {}};
  const Bytes unmapped = mapped_.unmap_registration(base, place->segment.end());
  if (unmapped == Bytes(0)) return {DriverCode::kParaError, {}};
  return {DriverCode::kNone, page_walk(unmapped, place->heap->key.kind, platform_.device_page, platform_.host_page)};
}

// U5.
DevicePointerOutcome V2Registration::host_get_device_pointer(std::uint64_t host, std::uint32_t device_id) const {
  if (host == 0) return {DriverCode::kParaError, {}};
  if (device_id >= kDeviceIdLimit) return {DriverCode::kInvalidDevice, {}};
  if (!records_on_) return {DriverCode::kNotSupport, {}};
  const HostRange* const range = find_host_range(DeviceAddr(host), device_id);
  if (range == nullptr) return {DriverCode::kNotExist, {}};
  return {DriverCode::kNone, range->device};
}

void V2Registration::device_close() {
  records_.clear();
  host_ranges_.clear();
}

DeviceAddr V2Registration::effective_base(DeviceAddr source, PageKind kind) const {
  return platform_.lenient ? round_down(source, p1_register_page(kind, platform_.device_page)) : source;
}

}  // namespace svmsim
