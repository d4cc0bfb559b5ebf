// SPDX-License-Identifier: Apache-2.0
// halHostRegister and halHostUnregister of the v2 driver (R1-R10, U1-U5) and its records of registrations. Owned by
// V2Driver; thread-bound.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sim/driver/extent_map.h"
#include "sim/driver/host_ranges.h"
#include "sim/driver/v2_allocator.h"

namespace svmsim {

// U1: the records of halHostRegister, by the device id in the block's allocation flag and by start. No two of a
// device overlap: a registration over a record, stale or not, gets none.
class V2Records {
 public:
  void add(std::uint32_t device_id, Span span);
  [[nodiscard]] bool contains(std::uint32_t device_id, DeviceAddr base) const;
  void erase(std::uint32_t device_id, DeviceAddr base) { ends_.erase({device_id, base}); }
  void clear() { ends_.clear(); }

 private:
  std::map<std::pair<std::uint32_t, DeviceAddr>, DeviceAddr> ends_;
};

class V2Registration {
 public:
  // `allocator` and `mapped` are borrowed for the registration's life.
  V2Registration(const Platform& platform, const V2Allocator& allocator, ExtentMap& mapped)
      : platform_(platform),
        capabilities_(r7_capabilities(platform)),
        allocator_(allocator),
        mapped_(mapped),
        host_ranges_(platform.host_page, platform.lenient) {}

  [[nodiscard]] RegisterOutcome register_to_host(DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                                 std::uint32_t device_id);
  [[nodiscard]] UnregisterOutcome unregister(DeviceAddr source, std::uint32_t device_id);
  // U1: the id is ignored for SVM addresses.
  [[nodiscard]] UnregisterOutcome unregister_ex(DeviceAddr source, std::uint32_t device_id, std::uint32_t flag);
  [[nodiscard]] DevicePointerOutcome host_get_device_pointer(std::uint64_t host, std::uint32_t device_id) const;

  // halSupportFeature(11) was called. Assumption: for good, also across a device close.
  void switch_records_on() { records_on_ = true; }
  // F3 for what is kept here: records and host memory.
  void device_close();

 private:
  [[nodiscard]] RegisterOutcome register_host_memory(DeviceAddr source, std::uint64_t size, const RegisterFlag& flag,
                                                     std::uint32_t device_id);
  // Host memory by its record (U1), or by its start alone while records are off; null if there is none.
  [[nodiscard]] const HostRange* find_host_range(DeviceAddr source, std::uint32_t device_id) const;
  [[nodiscard]] UnregisterOutcome unmap(DeviceAddr source);
  // Under `lenient` an address stands for the start of its page.
  [[nodiscard]] DeviceAddr effective_base(DeviceAddr source, PageKind kind) const;

  Platform platform_;
  Capabilities capabilities_;
  const V2Allocator& allocator_;
  ExtentMap& mapped_;
  HostRanges host_ranges_;
  V2Records records_;
  bool records_on_ = false;
};

}  // namespace svmsim
