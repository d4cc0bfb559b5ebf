// SPDX-License-Identifier: Apache-2.0
// Who owned each device address of a machine, and which calls mapped and unmapped it: what explains a forbidden touch.
// It sees the changes of the backing as they happen and each call after it, and so knows also the mappings that the
// driver drops without being asked. Owned by a machine. Thread-safe: its own lock is held only inside its functions, so
// that a signal handler can ask unless it interrupted one of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/backing.h"
#include "sim/machine/call_record.h"
#include "sim/machine/interval_map.h"

namespace svmsim {

// A call as a report names it: its number in the trace, and what it was.
struct CallName {
  std::uint64_t sequence = 0;
  CallKind kind = CallKind::kAllocate;
};

struct AddressHistory {
  struct Owner {
    svmrt::DeviceAddr base;
    svmrt::Bytes size;  // as asked of the driver
    std::uint64_t allocated_by = 0;
    std::optional<CallName> freed_by;  // absent: it lives
  };
  struct Mapping {
    std::optional<CallName> mapped_by;  // absent while that call is under way
    std::optional<CallName> unmapped_by;
    bool mapped = true;
    HostAccess access = HostAccess::kReadWrite;
  };
  std::optional<Owner> owner;      // the last one; absent: no block was ever there
  std::optional<Owner> below;      // without an owner: whose bytes end below, if any
  std::optional<Mapping> mapping;  // the last one; absent: never mapped
};

class MappingHistory {
 public:
  void mapped(svmrt::DeviceAddr base, svmrt::Bytes size, HostAccess access);
  void unmapped(svmrt::DeviceAddr base, svmrt::Bytes size);
  // The call that made the changes since the last one.
  void called(const CallRecord& record);

  // Allocates nothing. nullopt when another thread keeps the books busy for long.
  [[nodiscard]] std::optional<AddressHistory> at(svmrt::DeviceAddr address) const;

 private:
  struct Change {
    svmrt::DeviceAddr begin;
    svmrt::DeviceAddr end;
  };
  class Guard;

  mutable std::atomic_flag busy_;
  IntervalMap<AddressHistory::Owner> owners_;
  IntervalMap<AddressHistory::Mapping> mappings_;
  std::vector<Change> changes_;  // by the call that is under way
};

// Tells the history what happens to a backing.
class WatchedBacking final : public Backing {
 public:
  // Both are borrowed for its life.
  WatchedBacking(Backing& backing, MappingHistory& history) : backing_(backing), history_(history) {}

  [[nodiscard]] std::byte* bytes_at(DeviceAddr address) const override { return backing_.bytes_at(address); }
  void populate(DeviceAddr base, Bytes size) override { backing_.populate(base, size); }
  void release(DeviceAddr base, Bytes size) override { backing_.release(base, size); }
  void* map(DeviceAddr base, Bytes size, HostAccess access) override {
    void* const view = backing_.map(base, size, access);
    history_.mapped(base, size, access);
    return view;
  }
  // Before the pages go: a thread that touches them from now on finds why.
  void unmap(DeviceAddr base, Bytes size) override {
    history_.unmapped(base, size);
    backing_.unmap(base, size);
  }

 private:
  Backing& backing_;
  MappingHistory& history_;
};

}  // namespace svmsim
