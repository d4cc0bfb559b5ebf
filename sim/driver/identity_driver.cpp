// SPDX-License-Identifier: Apache-2.0
#include "sim/driver/identity_driver.h"

#include <iterator>

#include "sim/driver/hal_flags.h"

namespace svmsim {
namespace {

inline constexpr Bytes kGranularity = times(4, kKiB);

}  // namespace

IdentityDriver::IdentityDriver(const Platform& platform, const AddressLayout& layout, Backing& backing)
    : address_bytes_(layout.device_size),
      backing_(backing),
      addresses_(Span{layout.device_base, layout.device_size}, platform.reuse) {}

AllocOutcome IdentityDriver::mem_alloc(std::uint64_t size, std::uint64_t flag) {
  if (size == 0) return {DriverCode::kInvalidValue, {}};
  if (address_bytes_ < Bytes(size)) return {DriverCode::kOutOfMemory, {}};
  const Block block{Bytes(size), round_up(Bytes(size), kGranularity), page_kind(decode_alloc_flag(flag))};
  const auto base = addresses_.take(address_key(block), kGranularity);
  if (!base) return {DriverCode::kOutOfMemory, {}};
  backing_.populate(*base, block.pages);
  backing_.map(*base, block.pages, HostAccess::kReadWrite);
  blocks_.emplace(*base, block);
  return {DriverCode::kNone, *base};
}

DriverCode IdentityDriver::mem_free(DeviceAddr base) {
  const auto it = blocks_.find(base);
  if (it != blocks_.end()) release_block(it);
  return DriverCode::kNone;
}

void IdentityDriver::release_block(Blocks::iterator it) {
  const auto& [base, block] = *it;
  backing_.unmap(base, block.pages);
  backing_.release(base, block.pages);
  addresses_.give_back(address_key(block), base);
  blocks_.erase(it);
}

// The answer is a number that the caller passed; nothing here follows it.
RegisterOutcome IdentityDriver::host_register(DeviceAddr source, std::uint64_t /*size*/, std::uint32_t /*flag*/,
                                              std::uint32_t /*device_id*/) {
  return {DriverCode::kNone, reinterpret_cast<void*>(source.value()), {}};
}

UnregisterOutcome IdentityDriver::host_unregister(DeviceAddr /*source*/, std::uint32_t /*device_id*/) { return {}; }

UnregisterOutcome IdentityDriver::host_unregister_ex(DeviceAddr /*source*/, std::uint32_t /*device_id*/,
                                                     std::uint32_t /*flag*/) {
  return {};
}

DevicePointerOutcome IdentityDriver::host_get_device_pointer(std::uint64_t /*host*/,
                                                             std::uint32_t /*device_id*/) const {
  return {DriverCode::kNotSupport, {}};
}

bool IdentityDriver::support_feature(std::uint32_t /*device_id*/, std::int32_t /*type*/) { return false; }

MemCtlOutcome IdentityDriver::mem_ctl(std::int32_t /*type*/, std::uint64_t /*mask*/,
                                      std::uint32_t /*device_id*/) const {
  return {};
}

DriverCode IdentityDriver::check_copy(DeviceAddr base, Bytes size) const {
  auto it = blocks_.upper_bound(base);
  if (it == blocks_.begin()) return DriverCode::kParaError;
  --it;
  const bool inside = svmrt::span_inside(base, size, it->first, it->second.pages);
  return inside ? DriverCode::kNone : DriverCode::kParaError;
}

void IdentityDriver::device_close() {
  while (!blocks_.empty()) release_block(blocks_.begin());
  addresses_.forget_recently_freed();
}

std::vector<BlockInfo> IdentityDriver::live_blocks() const {
  std::vector<BlockInfo> list;
  list.reserve(blocks_.size());
  for (const auto& [base, block] : blocks_) list.push_back(BlockInfo{base, block.requested, block.kind});
  return list;
}

}  // namespace svmsim
