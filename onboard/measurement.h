// SPDX-License-Identifier: Apache-2.0
// Times the calls of a driver: mapping by size, copies both ways, loads and stores through a view. Knows the driver
// port alone. Thread-bound; nobody else may use the driver meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/hal.h"
#include "runtime/result.h"
#include "runtime/units.h"

namespace svmsim {

struct MeasurementPlan {
  std::uint64_t iterations = 300;  // of each size, 1 or more; over four buffers in turn
  // Each above 0, measured in this order. A size is that of the block and of what is mapped or copied.
  std::vector<svmrt::Bytes> map_sizes;
  std::vector<svmrt::Bytes> copy_sizes;
  // So many loads, or stores, of 8 bytes one after the other, from the start of a view.
  std::vector<std::uint64_t> access_counts;
  // At least that large are the blocks behind these views. 2 MiB are on huge pages, which every host maps that maps.
  svmrt::Bytes view_size{std::uint64_t{2} << 20};

  std::function<void(const std::string&)> progress;  // what is measured next, in words; may be empty
};

// 64 bytes to 1 GiB on ordinary and huge pages, copies of 4 bytes to 64 MiB, 256 and 4096 accesses.
[[nodiscard]] MeasurementPlan published_plan();

// Of the times of all iterations, which are none in between: the median is the lower one of two, the 99th percentile
// the nearest rank.
struct CallTimes {
  svmrt::Picoseconds min;
  svmrt::Picoseconds median;
  svmrt::Picoseconds p99;
};
// At least one time.
[[nodiscard]] CallTimes call_times(std::vector<svmrt::Picoseconds> times);

struct MapTimes {
  svmrt::Bytes bytes;
  CallTimes register_call;
  CallTimes unregister_call;
};
struct CopyTimes {
  svmrt::Bytes bytes;
  CallTimes from_device;
  CallTimes to_device;
};
struct AccessTimes {
  std::uint64_t accesses = 0;
  CallTimes loads;
  CallTimes stores;
};

struct Measurement {
  std::vector<MapTimes> maps;
  std::vector<CopyTimes> copies;
  std::vector<AccessTimes> accesses;
  // What could not be measured, with the reason: "mapping of 64 bytes: register_to_host answers NOT_SUPPORT (65534)".
  std::vector<std::string> left_out;
};

// Left out is what does not fit (kOutOfMemory of an allocate), what the host refuses to map (kNotSupport, or there is
// no function that maps), and all mapping where there is no host-map path. kInvalidArgument: no iterations. kDriver:
// any other failed call, which the message names with its block and code. Whatever was allocated and mapped is given
// back in every case; what could not be is named too, and a block that stays mapped is not freed.
[[nodiscard]] svmrt::Result<Measurement> measure(svmrt::Driver& driver, const MeasurementPlan& plan);

}  // namespace svmsim
