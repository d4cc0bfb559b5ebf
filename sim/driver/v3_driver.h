// SPDX-License-Identifier: Apache-2.0
// The v3 driver personality (the a5 class): no user-space cache, a free returns the pages at once, and every rule is
// kept per block. Owned by a machine; thread-bound to its lock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/driver/address_ranges.h"
#include "sim/driver/alloc_rules.h"
#include "sim/driver/extent_map.h"
#include "sim/driver/host_ranges.h"

namespace svmsim {

class V3Driver final : public HalDriver {
 public:
  // `backing` is borrowed for the driver's life.
  V3Driver(const Platform& platform, const AddressLayout& layout, Backing& backing);

  [[nodiscard]] AllocOutcome mem_alloc(std::uint64_t size, std::uint64_t flag) override;
  [[nodiscard]] DriverCode mem_free(DeviceAddr base) override;
  [[nodiscard]] RegisterOutcome host_register(DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                              std::uint32_t device_id) override;
  [[nodiscard]] UnregisterOutcome host_unregister(DeviceAddr source, std::uint32_t device_id) override;
  [[nodiscard]] UnregisterOutcome host_unregister_ex(DeviceAddr source, std::uint32_t device_id,
                                                     std::uint32_t flag) override;
  // v3 has no such symbol; always kNotSupport.
  [[nodiscard]] DevicePointerOutcome host_get_device_pointer(std::uint64_t host,
                                                             std::uint32_t device_id) const override;
  [[nodiscard]] bool support_feature(std::uint32_t device_id, std::int32_t type) override;
  [[nodiscard]] MemCtlOutcome mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const override;
  // A copy stays within the pages of one block.
  [[nodiscard]] DriverCode check_copy(DeviceAddr base, Bytes size) const override;
  void device_close() override;
  [[nodiscard]] std::vector<BlockInfo> live_blocks() const override;
  [[nodiscard]] std::vector<MappedExtent> mapped_extents() const override { return mapped_.extents(); }

 private:
  struct Block {
    Bytes requested;
    Bytes pages;  // requested, rounded to whole pages
    PageKind kind = PageKind::kOrdinary;
    std::uint32_t device_id = 0;
  };
  using Blocks = std::map<DeviceAddr, Block>;

  [[nodiscard]] Blocks::const_iterator block_at(DeviceAddr address) const;
  [[nodiscard]] static RecentlyFreed::Key address_key(const Block& block);
  [[nodiscard]] Bytes granularity(PageKind kind) const;
  void release_block(Blocks::iterator block);
  [[nodiscard]] UnregisterOutcome unmap(DeviceAddr source);
  [[nodiscard]] bool is_svm(DeviceAddr address) const { return layout_.contains(address); }

  Platform platform_;
  Capabilities capabilities_;
  Span layout_;
  Backing& backing_;
  ExtentMap mapped_;
  HostRanges host_ranges_;
  AddressPool addresses_;
  Blocks blocks_;
  std::array<Bytes, kDeviceIdLimit> used_hbm_{};
};

}  // namespace svmsim
