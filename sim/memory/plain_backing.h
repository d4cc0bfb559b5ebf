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

#include "sim/memory/slice_backing.h"

namespace svmsim {

class PlainBacking final : public SliceBacking {
 public:
  // Reserves a slice; the error is the one of reserve_slice, or names the limit that was hit.
  [[nodiscard]] static tl::expected<std::unique_ptr<PlainBacking>, std::string> create(ViewAddress view_address);
  ~PlainBacking() override;

  void populate(DeviceAddr base, Bytes size) override;
  void release(DeviceAddr base, Bytes size) override;
  void* map(DeviceAddr base, Bytes size, HostAccess access) override;
  void unmap(DeviceAddr base, Bytes size) override;

 private:
  using SliceBacking::SliceBacking;
  void set_touchable(DeviceAddr base, Bytes size, bool touchable);

  std::map<DeviceAddr, Bytes> poisoned_;  // everything that was ever poisoned; empty without AddressSanitizer
};

}  // namespace svmsim
