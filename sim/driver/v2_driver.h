// SPDX-License-Identifier: Apache-2.0
// The v2 driver personality (the a2a3 class). Owned by a machine; thread-bound to its lock.
#pragma once

#include "sim/driver/v2_registration.h"

namespace svmsim {

class V2Driver final : public HalDriver {
 public:
  // `backing` is borrowed for the driver's life.
  V2Driver(const Platform& platform, const AddressLayout& layout, Backing& backing);

  [[nodiscard]] AllocOutcome mem_alloc(std::uint64_t size, std::uint64_t flag) override;
  [[nodiscard]] DriverCode mem_free(DeviceAddr base) override;
  [[nodiscard]] RegisterOutcome host_register(DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                              std::uint32_t device_id) override;
  [[nodiscard]] UnregisterOutcome host_unregister(DeviceAddr source, std::uint32_t device_id) override;
  [[nodiscard]] UnregisterOutcome host_unregister_ex(DeviceAddr source, std::uint32_t device_id,
                                                     std::uint32_t flag) override;
  [[nodiscard]] DevicePointerOutcome host_get_device_pointer(std::uint64_t host,
                                                             std::uint32_t device_id) const override;
  [[nodiscard]] bool support_feature(std::uint32_t device_id, std::int32_t type) override;
  [[nodiscard]] MemCtlOutcome mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const override;
  // Pages, not blocks, bound a copy: it may run through cached blocks and following segments, within the heap.
  [[nodiscard]] DriverCode check_copy(DeviceAddr base, Bytes size) const override;
  void device_close() override;
  [[nodiscard]] std::vector<BlockInfo> live_blocks() const override { return allocator_.live_blocks(); }
  [[nodiscard]] std::vector<MappedExtent> mapped_extents() const override { return mapped_.extents(); }

 private:
  Capabilities capabilities_;
  ExtentMap mapped_;
  V2Allocator allocator_;
  V2Registration registration_;
};

}  // namespace svmsim
