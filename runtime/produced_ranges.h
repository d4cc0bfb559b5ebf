// SPDX-License-Identifier: Apache-2.0
// Which bytes of device memory the live runs of a runner are going to write, as they declared: a run whose host reads
// such bytes must wait for their producer. Owned by the runner. Thread-safe; no memory is allocated or freed with the
// lock held.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <vector>

#include "runtime/sync.h"
#include "runtime/units.h"

namespace svmrt {

// Runs of a runner, counted from 1 in the order in which they were opened. 0: none.
using RunNumber = std::uint64_t;

class ProducedRanges {
 public:
  // First byte and size, above 0; does not run past 2^64.
  struct Range {
    DeviceAddr base;
    Bytes size;
  };

  // Adds to what the run declared before. No ranges are no declaration.
  void declare(RunNumber run, std::vector<Range> ranges);
  // Forgets what the run declared, if anything.
  void withdraw(RunNumber run);
  // The first opened of the other runs that declared any byte of [base, base + size); 0 when none did.
  [[nodiscard]] RunNumber other_producer(RunNumber run, DeviceAddr base, Bytes size) const;
  // Grows with each declaration and withdrawal, after the change can be seen by other_producer.
  [[nodiscard]] const std::atomic<std::uint64_t>& changes() const { return changes_; }

 private:
  struct Entry {
    RunNumber run = 0;
    std::vector<Range> ranges;
  };

  mutable Mutex mutex_;
  std::list<Entry> entries_;
  // Entries; what most reads look at, without the lock. A read that overlaps a declaration in time may be on either
  // side of it.
  std::atomic<std::uint64_t> declared_{0};
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace svmrt
