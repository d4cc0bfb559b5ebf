// SPDX-License-Identifier: Apache-2.0
// The backing without an MMU: pages lie at the device address (or, on a non-identity platform, only elsewhere),
// untouched ones cost nothing, map and unmap make no system call. On a non-identity platform a touch of the raw
// device address faults. In AddressSanitizer builds, blocks of up to 16 MiB that are not mapped are poisoned, and
// the simulator's own accesses use a second address of the same memory. Thread-bound to its machine's lock.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "sim/memory/mapped_region.h"
#include "sim/memory/slice_backing.h"

namespace svmsim {

class PlainBacking final : public SliceBacking {
 public:
  // Reserves a slice; the error is the one of reserve_slice, or names the limit that was hit.
  [[nodiscard]] static tl::expected<std::unique_ptr<PlainBacking>, std::string> create(ViewAddress view_address);
  ~PlainBacking() override;

  [[nodiscard]] DeviceAddr base() const override { return slice_.base; }
  [[nodiscard]] Bytes size() const override { return slice_.size; }
  [[nodiscard]] const std::byte* view_base() const override { return host_base_; }

  [[nodiscard]] std::byte* bytes_at(DeviceAddr address) const override;
  void populate(DeviceAddr base, Bytes size) override;
  void release(DeviceAddr base, Bytes size) override;
  void* map(DeviceAddr base, Bytes size, HostAccess access) override;
  void unmap(DeviceAddr base, Bytes size) override;

 private:
  explicit PlainBacking(AddressSlice slice) : slice_(std::move(slice)) {}
  [[nodiscard]] std::byte* host_at(DeviceAddr address) const;
  void set_touchable(DeviceAddr base, Bytes size, bool touchable);

  AddressSlice slice_;
  MappedRegion view_region_;      // where host views lie when not at the device address
  MappedRegion internal_region_;  // AddressSanitizer builds: the simulator's own address of the memory
  std::byte* host_base_ = nullptr;
  std::byte* internal_base_ = nullptr;
  std::map<DeviceAddr, Bytes> poisoned_;  // everything that was ever poisoned; empty without AddressSanitizer
};

}  // namespace svmsim
