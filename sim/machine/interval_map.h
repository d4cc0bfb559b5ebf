// SPDX-License-Identifier: Apache-2.0
// Values of disjoint address ranges, of which the last assigned wins. Value type, thread-compatible.
#pragma once

#include <iterator>
#include <map>

#include "runtime/units.h"

namespace svmsim {

template <typename Value>
class IntervalMap {
 public:
  struct Interval {
    svmrt::DeviceAddr end;
    Value value;
  };
  using Intervals = std::map<svmrt::DeviceAddr, Interval>;

  // [begin, end), not empty. What was assigned there before is forgotten; the rest of it stays.
  void assign(svmrt::DeviceAddr begin, svmrt::DeviceAddr end, Value value) {
    split(begin);
    split(end);
    intervals_.erase(intervals_.lower_bound(begin), intervals_.lower_bound(end));
    intervals_.emplace(begin, Interval{end, std::move(value)});
  }

  // Calls `change(value)` for each interval inside [begin, end), cut to it; gaps stay gaps.
  template <typename Change>
  void update(svmrt::DeviceAddr begin, svmrt::DeviceAddr end, Change change) {
    split(begin);
    split(end);
    for (auto it = intervals_.lower_bound(begin); it != intervals_.end() && it->first < end; ++it) {
      change(it->second.value);
    }
  }

  // Calls `change(value)` for every interval.
  template <typename Change>
  void update_all(Change change) {
    for (auto& [begin, interval] : intervals_) change(interval.value);
  }

  // The value of the last interval that begins at or before `address`, or null. Allocates nothing.
  [[nodiscard]] const Value* find_before(svmrt::DeviceAddr address) const {
    const auto it = intervals_.upper_bound(address);
    return it == intervals_.begin() ? nullptr : &std::prev(it)->second.value;
  }
  // The value at `address`, or null. Allocates nothing.
  [[nodiscard]] const Value* find(svmrt::DeviceAddr address) const {
    auto it = intervals_.upper_bound(address);
    if (it == intervals_.begin()) return nullptr;
    --it;
    return address < it->second.end ? &it->second.value : nullptr;
  }

 private:
  // Makes `at` the start of an interval when it lies inside one.
  void split(svmrt::DeviceAddr at) {
    auto it = intervals_.upper_bound(at);
    if (it == intervals_.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    Interval rest = it->second;
    it->second.end = at;
    intervals_.emplace_hint(std::next(it), at, std::move(rest));
  }

  Intervals intervals_;
};

}  // namespace svmsim
