// SPDX-License-Identifier: Apache-2.0
#include "runtime/produced_ranges.h"

#include <iterator>
#include <utility>

namespace svmrt {

namespace {

// By their last bytes, which exist even for a range that ends at 2^64.
bool overlap(const ProducedRanges::Range& range, DeviceAddr base, Bytes size) {
  const std::uint64_t range_last = range.base.value() + (range.size.count() - 1);
  const std::uint64_t last = base.value() + (size.count() - 1);
  return range.base.value() <= last && base.value() <= range_last;
}

}  // namespace

void ProducedRanges::declare(RunNumber run, std::vector<Range> ranges) {
  if (ranges.empty()) return;
  std::list<Entry> entry;
  entry.push_back({run, std::move(ranges)});
  const LockGuard guard(mutex_);
  entries_.splice(entries_.end(), entry);
  declared_.fetch_add(1, std::memory_order_release);
  changes_.fetch_add(1, std::memory_order_release);
}

void ProducedRanges::withdraw(RunNumber run) {
  std::list<Entry> withdrawn;
  const LockGuard guard(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->run == run) {
      withdrawn.splice(withdrawn.end(), entries_, entry);
      declared_.fetch_sub(1, std::memory_order_release);
      changes_.fetch_add(1, std::memory_order_release);
    }
    entry = next;
  }
}

RunNumber ProducedRanges::other_producer(RunNumber run, DeviceAddr base, Bytes size) const {
  if (declared_.load(std::memory_order_acquire) == 0) return 0;
  RunNumber first = 0;
  const LockGuard guard(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.run == run || (first != 0 && entry.run > first)) continue;
    for (const Range& range : entry.ranges) {
      if (overlap(range, base, size)) first = entry.run;
    }
  }
  return first;
}

}  // namespace svmrt
