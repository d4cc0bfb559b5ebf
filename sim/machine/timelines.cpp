// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/timelines.h"

#include <algorithm>
#include <cstdlib>

namespace svmsim {

const Timelines::Timeline& Timelines::at(TimelineId timeline) const {
  const auto index = static_cast<std::size_t>(timeline);
  if (index >= timelines_.size() || !timelines_[index].open) std::abort();  // a bug of the caller: no such timeline
  return timelines_[index];
}

TimelineId Timelines::open() {
  const auto free = std::find_if(timelines_.begin() + 1, timelines_.end(), [](const Timeline& t) { return !t.open; });
  const auto index = static_cast<std::uint32_t>(free - timelines_.begin());
  const Timeline opened{timelines_[0].now, true};
  if (free == timelines_.end()) {
    timelines_.push_back(opened);
  } else {
    *free = opened;
  }
  return TimelineId{index};
}

void Timelines::close(TimelineId timeline) {
  if (timeline == svmrt::kRunnerTimeline) std::abort();
  timelines_[0].now = std::max(timelines_[0].now, at(timeline).now);
  timelines_[static_cast<std::size_t>(timeline)].open = false;
}

Picoseconds Timelines::advance(TimelineId timeline, Picoseconds cost) {
  const Picoseconds begin = at(timeline).now;
  timelines_[static_cast<std::size_t>(timeline)].now = begin + cost;
  return begin;
}

Picoseconds Timelines::occupy(TimelineId timeline, Picoseconds cost, Picoseconds& resource_free) {
  const Picoseconds begin = std::max(at(timeline).now, resource_free);
  resource_free = begin + cost;
  timelines_[static_cast<std::size_t>(timeline)].now = resource_free;
  return begin;
}

}  // namespace svmsim
