// SPDX-License-Identifier: Apache-2.0
// What a simulator with identity mapping does: device memory is host memory all the time, register answers the device
// address and keeps no books. It shows what such a simulator cannot catch. Owned by a machine; thread-bound to its
// lock.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/driver/address_ranges.h"
#include "sim/driver/hal_driver.h"

namespace svmsim {

class IdentityDriver final : public HalDriver {
 public:
  // `backing` is borrowed for the driver's life.
  IdentityDriver(const Platform& platform, const AddressLayout& layout, Backing& backing);

  // Fails only for size 0 (kInvalidValue) and when addresses run out (kOutOfMemory); of the flags only the page kind
  // is looked at, and only to be reported.
  [[nodiscard]] AllocOutcome mem_alloc(std::uint64_t size, std::uint64_t flag) override;
  // Always kNone; an address that is no block's base is ignored.
  [[nodiscard]] DriverCode mem_free(DeviceAddr base) override;
  // Always kNone, `source` itself and a walk of no pages, whatever the arguments.
  [[nodiscard]] RegisterOutcome host_register(DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                              std::uint32_t device_id) override;
  [[nodiscard]] UnregisterOutcome host_unregister(DeviceAddr source, std::uint32_t device_id) override;
  [[nodiscard]] UnregisterOutcome host_unregister_ex(DeviceAddr source, std::uint32_t device_id,
                                                     std::uint32_t flag) override;
  // No such symbol, no feature and no capability.
  [[nodiscard]] DevicePointerOutcome host_get_device_pointer(std::uint64_t host,
                                                             std::uint32_t device_id) const override;
  [[nodiscard]] bool support_feature(std::uint32_t device_id, std::int32_t type) override;
  [[nodiscard]] MemCtlOutcome mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const override;
  // A copy stays within the pages of one block.
  [[nodiscard]] DriverCode check_copy(DeviceAddr base, Bytes size) const override;
  void device_close() override;
  [[nodiscard]] std::vector<BlockInfo> live_blocks() const override;
  // Always empty: registrations are not kept.
  [[nodiscard]] std::vector<MappedExtent> mapped_extents() const override { return {}; }

 private:
  struct Block {
    Bytes requested;
    Bytes pages;
    PageKind kind = PageKind::kOrdinary;
  };
  using Blocks = std::map<DeviceAddr, Block>;
  [[nodiscard]] static RecentlyFreed::Key address_key(const Block& block) { return {0, block.kind, block.pages}; }
  void release_block(Blocks::iterator block);

  Bytes address_bytes_;
  Backing& backing_;
  AddressPool addresses_;
  Blocks blocks_;
};

}  // namespace svmsim
