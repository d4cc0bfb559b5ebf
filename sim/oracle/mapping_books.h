// SPDX-License-Identifier: Apache-2.0
// The oracle's own record of blocks and mappings, kept only from the calls that reached the driver and their codes,
// independent of the driver's tables and of the runtime's. Thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "runtime/units.h"

namespace svmsim {

class MappingBooks {
 public:
  struct Block {
    svmrt::Bytes size;               // as asked of the driver
    std::string name;                // empty until named
    std::uint64_t maps_in_life = 0;  // successful registers since it was allocated
    std::uint64_t maps_in_bind = 0;  // since begin_bind()
    bool unregister_failed = false;  // and not confirmed since
    bool free_failed = false;        // the driver refused the last free
  };
  struct Entry {
    svmrt::DeviceAddr base;
    Block* block = nullptr;
  };

  void begin_bind();
  Block& allocated(svmrt::DeviceAddr base, svmrt::Bytes size);
  void freed(svmrt::DeviceAddr base);
  void mapped(svmrt::DeviceAddr base, svmrt::Bytes size);
  // False when no mapping starts at `base`.
  [[nodiscard]] bool unmapped(svmrt::DeviceAddr base);

  [[nodiscard]] std::optional<Entry> block_at(svmrt::DeviceAddr base);  // exact base
  [[nodiscard]] std::optional<Entry> owner_of(svmrt::DeviceAddr address);
  // True when a mapping touches the span.
  [[nodiscard]] bool mapping_touches(svmrt::DeviceAddr base, svmrt::Bytes size) const;
  // True when a mapping covers the span and may be used: one whose unregister failed may not.
  [[nodiscard]] bool view_covers(svmrt::DeviceAddr base, svmrt::Bytes size);

  [[nodiscard]] std::map<svmrt::DeviceAddr, Block>& blocks() { return blocks_; }
  [[nodiscard]] const std::map<svmrt::DeviceAddr, svmrt::Bytes>& mappings() const { return mappings_; }

 private:
  std::map<svmrt::DeviceAddr, Block> blocks_;
  std::map<svmrt::DeviceAddr, svmrt::Bytes> mappings_;
};

}  // namespace svmsim
