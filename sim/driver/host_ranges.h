// SPDX-License-Identifier: Apache-2.0
// Host memory that was registered for the device (R8): which ranges, and the device address each was given. Host
// addresses are numbers here, nothing follows them. Owned by a driver; thread-bound.
#pragma once

#include <cstdint>
#include <map>

#include "sim/driver/address_ranges.h"

namespace svmsim {

struct HostRange {
  Span pages;                   // of the host, whole ones
  DeviceAddr device;            // where the device sees the registered start
  std::uint32_t type = 0;       // map type it was registered with
  std::uint32_t device_id = 0;  // as passed to the register call
  bool recorded = false;        // registered with records on (U1)
};

class HostRanges {
 public:
  struct Request {
    DeviceAddr source;
    Bytes size;
    std::uint32_t type = 0;
    std::uint32_t device_id = 0;
    bool recorded = false;
  };

  // `lenient` accepts overlapping ranges; the same start again keeps what it had.
  HostRanges(Bytes host_page, bool lenient);

  // Precondition: the request passed r8_host_memory_v2 or _v3. Success carries the device address; `overlap` is the
  // code of a range that touches a registered one. kOutOfMemory when device addresses run out.
  [[nodiscard]] RegisterOutcome add(const Request& request, DriverCode overlap);
  // The range that starts at `source` and was registered for this device; null if there is none. Valid until the next
  // change.
  [[nodiscard]] const HostRange* find(DeviceAddr source, std::uint32_t device_id) const;
  // Precondition: a range starts at `source`. The walk of the pages that are dropped.
  PageWalk remove(DeviceAddr source);
  void clear();

 private:
  [[nodiscard]] bool overlaps(Span pages) const;
  [[nodiscard]] PageWalk walk(Span pages) const { return {0, units_of(pages.size, host_page_)}; }

  Bytes host_page_;
  bool lenient_;
  AddressRanges windows_;                   // device addresses
  std::map<DeviceAddr, HostRange> ranges_;  // by registered start
};

}  // namespace svmsim
