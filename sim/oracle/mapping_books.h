// SPDX-License-Identifier: Apache-2.0
// A checker's own record of blocks and mappings, kept only from the calls that reached the driver and their codes,
// independent of the driver's tables and of the runtime's. Spans are as asked, not rounded to pages; mappings do not
// overlap, unless the platform is lenient. Thread-compatible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/units.h"

namespace svmsim {

class MappingBooks {
 public:
  struct Block {
    std::uint64_t life = 0;          // a number of its own, while the books last
    svmrt::Bytes size;               // as asked of the driver
    std::uint64_t allocated_by = 0;  // number of the call, where the checker tells it
    std::string name;                // empty until named
    std::uint64_t maps_in_life = 0;  // successful registers since it was allocated
    bool unregister_failed = false;  // and not confirmed since
    bool free_failed = false;        // the driver refused the last free
    bool foreign = false;            // not of the program under test
    bool disturbed = false;          // somebody else dropped a mapping of it
  };
  // A block as a mapping remembers it, which may outlive it.
  struct Owner {
    svmrt::DeviceAddr base;
    svmrt::Bytes size;
    std::uint64_t allocated_by = 0;
    std::optional<std::uint64_t> freed_by;  // the driver took the free while the mapping was there
  };
  // All but the size are where the checker tells them.
  struct Mapping {
    svmrt::Bytes size;
    std::uint64_t registered_by = 0;  // number of the call
    std::optional<Owner> owner;       // the block that was live at its start when it was made
    bool foreign = false;             // not of the program under test
  };
  struct Entry {
    svmrt::DeviceAddr base;
    Block* block = nullptr;
  };

  Block& allocated(svmrt::DeviceAddr base, svmrt::Bytes size);
  void freed(svmrt::DeviceAddr base);
  // Gives a live block the number of a new life.
  void renew(Block& block) { block.life = ++last_life_; }
  Mapping& mapped(svmrt::DeviceAddr base, svmrt::Bytes size);
  // False when no mapping starts at `base`.
  [[nodiscard]] bool unmapped(svmrt::DeviceAddr base);

  [[nodiscard]] std::optional<Entry> block_at(svmrt::DeviceAddr base);  // exact base
  [[nodiscard]] std::optional<Entry> owner_of(svmrt::DeviceAddr address);
  // True when a mapping that is not foreign touches the span.
  [[nodiscard]] bool own_mapping_touches(svmrt::DeviceAddr base, svmrt::Bytes size) const;
  // I2: the block that starts at `base`, if a mapping that is not foreign touches it, so that a free of it comes too
  // early.
  [[nodiscard]] std::optional<Entry> mapped_block_at(svmrt::DeviceAddr base);
  // Start of the block that holds `address`, else `address` itself: the allocation that a report is about.
  [[nodiscard]] svmrt::DeviceAddr allocation_of(svmrt::DeviceAddr address);
  // True when a mapping touches the span.
  [[nodiscard]] bool mapping_touches(svmrt::DeviceAddr base, svmrt::Bytes size) const;
  // Starts of the mappings that touch the span, in address order.
  [[nodiscard]] std::vector<svmrt::DeviceAddr> mappings_touching(svmrt::DeviceAddr base, svmrt::Bytes size) const;
  [[nodiscard]] Mapping* mapping_at(svmrt::DeviceAddr base);  // exact start; null without one
  // True when a mapping covers the span and may be used: neither one whose unregister failed nor a foreign one.
  [[nodiscard]] bool view_covers(svmrt::DeviceAddr base, svmrt::Bytes size);

  // Everything is foreign from now on, and no failure is remembered.
  void all_become_foreign();
  // Nothing is left; numbers of lives go on.
  void clear();

  [[nodiscard]] std::map<svmrt::DeviceAddr, Block>& blocks() { return blocks_; }
  [[nodiscard]] const std::map<svmrt::DeviceAddr, Mapping>& mappings() const { return mappings_; }

 private:
  std::uint64_t last_life_ = 0;
  std::map<svmrt::DeviceAddr, Block> blocks_;
  std::map<svmrt::DeviceAddr, Mapping> mappings_;
};

}  // namespace svmsim
