// SPDX-License-Identifier: Apache-2.0
// Simulated time: one host timeline per open run and one for the runner, plus the driver and the device, which serve
// one timeline at a time. Integer picoseconds, advanced only by modelled costs. Thread-bound to its machine's lock.
#pragma once

#include <vector>

#include "runtime/hal.h"

namespace svmsim {

using svmrt::Picoseconds;
using svmrt::TimelineId;

class Timelines {
 public:
  Timelines() : timelines_(1) { timelines_[0].open = true; }

  // Starts at the runner timeline's present. Ids are reused, lowest first.
  [[nodiscard]] TimelineId open();
  // Moves the runner timeline to the closed one's end, if that is later. Closing one that is not open aborts.
  void close(TimelineId timeline);

  [[nodiscard]] Picoseconds now(TimelineId timeline) const { return at(timeline).now; }

  // A driver call: begins when both the timeline and the driver are free, occupies both. Returns its begin.
  Picoseconds occupy_driver(TimelineId timeline, Picoseconds cost) { return occupy(timeline, cost, driver_free_); }
  // A launch: the same with the device in place of the driver.
  Picoseconds occupy_device(TimelineId timeline, Picoseconds cost) { return occupy(timeline, cost, device_free_); }
  // Host work that needs neither.
  Picoseconds advance(TimelineId timeline, Picoseconds cost);

 private:
  struct Timeline {
    Picoseconds now;
    bool open = false;
  };
  [[nodiscard]] const Timeline& at(TimelineId timeline) const;
  Picoseconds occupy(TimelineId timeline, Picoseconds cost, Picoseconds& resource_free);

  std::vector<Timeline> timelines_;  // index 0 is the runner's
  Picoseconds driver_free_;
  Picoseconds device_free_;
};

}  // namespace svmsim
