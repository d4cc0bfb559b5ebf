// SPDX-License-Identifier: Apache-2.0
// The backing whose absence of a mapping is real: device memory is a memory file, the device address range (and, on a
// non-identity platform, the range where views lie) is inaccessible, map puts pages there and unmap takes them away, so
// that the processor faults on every touch that the driver does not allow: of unmapped pages, a store to a read-only
// mapping, anything in a forked child. Thread-bound to its machine's lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "sim/memory/slice_backing.h"

namespace svmsim {

// Live mappings of all machines of a process. Each can split a reservation in two, so it takes up to two of the 65,530
// mappings that Linux gives a process (vm.max_map_count); half of them are left to the program.
inline constexpr std::uint64_t kMostLiveMappings = 16'000;

class MmuBacking final : public SliceBacking {
 public:
  [[nodiscard]] static tl::expected<std::unique_ptr<MmuBacking>, std::string> create(ViewAddress view_address);
  ~MmuBacking() override;

  void populate(DeviceAddr base, Bytes size) override;
  void release(DeviceAddr base, Bytes size) override;
  // Beyond kMostLiveMappings, or when the kernel refuses, the process ends with a message: this is a limit of the
  // simulator, for which the driver has no code.
  void* map(DeviceAddr base, Bytes size, HostAccess access) override;
  void unmap(DeviceAddr base, Bytes size) override;

 private:
  using SliceBacking::SliceBacking;

  std::map<DeviceAddr, Bytes> live_;  // what is mapped, by first page
};

}  // namespace svmsim
