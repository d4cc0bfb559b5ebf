// SPDX-License-Identifier: Apache-2.0
// One driver call as it happened on a simulated machine, and the interface of those who watch. Value types.
#pragma once

#include <cstdint>

#include "runtime/hal.h"
#include "sim/call_kind.h"

namespace svmsim {

struct CallRecord {
  std::uint64_t sequence = 0;  // counts the records of a machine from 0
  CallKind kind = CallKind::kAllocate;
  svmrt::TimelineId timeline = svmrt::kRunnerTimeline;
  // As passed in; for a successful allocate: what came back. Null for what is not device memory: host addresses differ
  // from run to run.
  svmrt::DeviceAddr address;
  svmrt::Bytes size;  // as passed in; 0 where the call has none
  svmrt::DriverCode code = svmrt::DriverCode::kNone;
  svmrt::Picoseconds begin;  // after waiting for the driver, if it was busy with another timeline's call
  svmrt::Picoseconds cost;
};

// Told of each call after it happened, under the machine's lock: must not call the machine, but for what says that it
// may be called then.
class CallObserver {
 public:
  CallObserver() = default;
  CallObserver(const CallObserver&) = delete;
  CallObserver& operator=(const CallObserver&) = delete;
  virtual ~CallObserver() = default;
  virtual void on_call(const CallRecord& record) = 0;
};

}  // namespace svmsim
