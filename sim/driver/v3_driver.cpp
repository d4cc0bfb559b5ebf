// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/v3_driver.h"

#include <algorithm>

#include "sim/driver/page_walk.h"
#include "sim/driver/register_rules.h"

namespace svmsim {

V3Driver::V3Driver(const Platform& platform, const AddressLayout& layout, Backing& backing)
    : platform_(platform),
      capabilities_(r7_capabilities(platform)),
      layout_{layout.device_base, layout.device_size},
      backing_(backing),
      mapped_(backing),
      host_ranges_(platform.host_page, platform.lenient),
      addresses_(layout_, platform.reuse) {}

AllocOutcome V3Driver::mem_alloc(std::uint64_t size, std::uint64_t flag_word) {
  const AllocFlag flag = decode_alloc_flag(flag_word);
  if (const DriverCode code = p2_check_v3(size, flag, capabilities_); code != DriverCode::kNone) return {code, {}};
  const PageKind kind = page_kind(flag);
  const Block block{Bytes(size), round_up(Bytes(size), granularity(kind)), kind, flag.device_id};
  Bytes& used_hbm = used_hbm_[block.device_id];
  if (platform_.hbm < used_hbm + block.pages) return {DriverCode::kOutOfMemory, {}};
  // Assumption: blocks of all kinds share one range.
  const auto base = addresses_.take(address_key(block), granularity(kind));
  if (!base) return {DriverCode::kOutOfMemory, {}};
  used_hbm += block.pages;
  backing_.populate(*base, block.pages);
  blocks_.emplace(*base, block);
  return {DriverCode::kNone, *base};
}

RecentlyFreed::Key V3Driver::address_key(const Block& block) { return {block.device_id, block.kind, block.pages}; }

// Assumption: the 4 KiB of P2 grow to the device page where that is larger, since a free returns whole pages.
Bytes V3Driver::granularity(PageKind kind) const {
  const Bytes bytes = p2_granularity(kind);
  return kind == PageKind::kOrdinary ? std::max(bytes, platform_.device_page) : bytes;
}

DriverCode V3Driver::mem_free(DeviceAddr base) {
  const auto it = blocks_.find(base);
  if (it == blocks_.end()) return DriverCode::kInvalidValue;                          // P5
  if (mapped_.overlaps(Span{it->first, it->second.pages})) return DriverCode::kBusy;  // F1
  release_block(it);
  return DriverCode::kNone;
}

void V3Driver::release_block(Blocks::iterator it) {
  const auto& [base, block] = *it;
  backing_.release(base, block.pages);
  used_hbm_[block.device_id] -= block.pages;
  addresses_.give_back(address_key(block), base);
  blocks_.erase(it);
}

RegisterOutcome V3Driver::host_register(DeviceAddr source, std::uint64_t size, std::uint32_t flag_word,
                                        std::uint32_t device_id) {
  const RegisterFlag flag = decode_register_flag(flag_word);
  if (const DriverCode code = r2_request_v3(flag, source, size); code != DriverCode::kNone) return {code, nullptr, {}};
  if (!is_svm(source)) {  // R8, R10
    const DriverCode code = r8_host_memory_v3(platform_, flag, source, size, device_id);
    if (code != DriverCode::kNone) return {code, nullptr, {}};
    return host_ranges_.add({source, Bytes(size), flag.type, device_id, false}, DriverCode::kRepeatedUserd);
  }
  // Assumption: the type is held against a reserved address before it is known whether a block lives there.
  if (const DriverCode code = r2_device_address_v3(flag); code != DriverCode::kNone) return {code, nullptr, {}};
  const auto it = block_at(source);
  if (it == blocks_.end()) return {DriverCode::kParaError, nullptr, {}};  // R10
  const auto& [block_base, block] = *it;

  if (!platform_.lenient && !r3_aligned_v3(platform_, block.kind, source, Bytes(size))) {
    return {DriverCode::kParaError, nullptr, {}};
  }
  // R5: neither the size of the registration nor that of the block is rounded.
  if (!svmrt::span_inside(source, Bytes(size), block_base, block.requested)) {
    return {DriverCode::kParaError, nullptr, {}};
  }
  const Bytes page = p1_register_page(block.kind, platform_.device_page);
  const DeviceAddr base = platform_.lenient ? round_down(source, page) : source;
  const Span pages = span_between(base, round_up(source + Bytes(size), page));
  if (!platform_.lenient && mapped_.overlaps(pages)) return {DriverCode::kRepeatedUserd, nullptr, {}};  // R6

  void* host = platform_.lenient ? mapped_.map_missing(pages, HostAccess::kReadWrite)
                                 : mapped_.map(pages, HostAccess::kReadWrite);
  return {DriverCode::kNone, static_cast<std::byte*>(host) + (source - base).count(),
          page_walk(pages.size, block.kind, platform_.device_page, platform_.host_page)};
}

// U2. Assumption: null counts among the addresses that answer 8, not among the non-SVM ones.
UnregisterOutcome V3Driver::host_unregister(DeviceAddr source, std::uint32_t device_id) {
  if (host_ranges_.find(source, device_id) != nullptr) return {DriverCode::kNone, host_ranges_.remove(source)};
  if (!source.is_null() && !is_svm(source)) return {DriverCode::kNotSupport, {}};
  return unmap(source);
}

UnregisterOutcome V3Driver::host_unregister_ex(DeviceAddr source, std::uint32_t device_id, std::uint32_t flag) {
  const HostRange* const range = host_ranges_.find(source, device_id);
  if (range != nullptr && u2_drops_host_memory(range->type, flag)) {
    return {DriverCode::kNone, host_ranges_.remove(source)};
  }
  if (const DriverCode code = u2_unregister_type(flag); code != DriverCode::kNone) return {code, {}};
  return unmap(source);
}

UnregisterOutcome V3Driver::unmap(DeviceAddr source) {
  const auto it = block_at(source);
  if (it == blocks_.end()) return {DriverCode::kParaError, {}};
  const auto& [block_base, block] = *it;
  const Bytes page = p1_register_page(block.kind, platform_.device_page);
  const DeviceAddr base = platform_.lenient ? round_down(source, page) : source;
  const Bytes unmapped = mapped_.unmap_registration(base, round_up(block_base + block.pages, page));
  if (unmapped == Bytes(0)) return {DriverCode::kParaError, {}};
  return {DriverCode::kNone, page_walk(unmapped, block.kind, platform_.device_page, platform_.host_page)};
}

DevicePointerOutcome V3Driver::host_get_device_pointer(std::uint64_t /*host*/, std::uint32_t /*device_id*/) const {
  return {DriverCode::kNotSupport, {}};
}

bool V3Driver::support_feature(std::uint32_t device_id, std::int32_t type) {
  return feature_supported(Personality::kV3, device_id, type);
}

MemCtlOutcome V3Driver::mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const {
  return mem_ctl_answer(capabilities_, type, mask, device_id);
}

DriverCode V3Driver::check_copy(DeviceAddr base, Bytes size) const {
  const auto it = block_at(base);
  if (it == blocks_.end()) return DriverCode::kParaError;
  const bool inside = svmrt::span_inside(base, size, it->first, it->second.pages);
  return inside ? DriverCode::kNone : DriverCode::kParaError;
}

void V3Driver::device_close() {
  mapped_.drop_all();
  host_ranges_.clear();
  while (!blocks_.empty()) release_block(blocks_.begin());
  addresses_.forget_recently_freed();
}

std::vector<BlockInfo> V3Driver::live_blocks() const {
  std::vector<BlockInfo> list;
  list.reserve(blocks_.size());
  for (const auto& [base, block] : blocks_) list.push_back(BlockInfo{base, block.requested, block.kind});
  return list;
}

V3Driver::Blocks::const_iterator V3Driver::block_at(DeviceAddr address) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return blocks_.end();
  --it;
  return Span{it->first, it->second.pages}.contains(address) ? it : blocks_.end();
}

}  // namespace svmsim
