// SPDX-License-Identifier: Apache-2.0
// The context of one run: its HostApi table, its timeline, the views it uses. Obtained from DeviceRunner::open_run
// and must not outlive the runner. Thread-bound.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/hal.h"
#include "runtime/host_api.h"
#include "runtime/journal.h"
#include "runtime/produced_ranges.h"
#include "runtime/result.h"
#include "runtime/run_views.h"
#include "runtime/runner_reports.h"

namespace svmrt {

class DeviceRunner;

class RunContext {
 public:
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;
  ~RunContext();  // closes the host views and the timeline

  // The table's context is this object: it is valid as long as the run is open. After device loss its allocations,
  // frees and copies are refused by the runner and acquire answers kUnavailable.
  [[nodiscard]] const HostApi& api() const { return api_; }
  [[nodiscard]] TimelineId timeline() const { return views_.timeline(); }
  [[nodiscard]] Driver& driver() const;
  // Gives back the views of this run, registered ones too: under rebuild and register-all drops each mapping that no
  // other open run uses. A failed unregister is logged, counted, and leaves the record quarantined. Afterwards the
  // run gets no views (acquire answers kUnavailable, register null); copies still work. Idempotent.
  void close_host_views();
  // Counted from 1 over the runs of the runner.
  [[nodiscard]] RunNumber number() const { return number_; }
  // The run is going to write these bytes: until it withdraws them, or ends, other runs of the runner see it as their
  // producer.
  void declare_produced(std::vector<ProducedRanges::Range> ranges);
  void withdraw_produced();
  [[nodiscard]] const MappingStats& mapping_stats() const { return views_.stats(); }
  // Why a device_malloc, device_free, copy or memset of the table last failed: the table itself has no room for it.
  // Meaningful once one of them did. The driver code is kNone where the runner refused by itself.
  [[nodiscard]] const Error& last_failure() const { return last_failure_; }

 private:
  friend class DeviceRunner;
  RunContext(DeviceRunner& runner, TimelineId timeline, RunNumber number);

  // False, with the reason kept, when the device is lost.
  [[nodiscard]] bool may_copy();
  // Counts, logs and keeps a failed copy; returns the code as the HostApi does.
  std::int32_t copy_done(DriverCall call, DriverCode code, DeviceAddr address, Bytes bytes);

  static std::uint64_t device_malloc(void* context, std::uint64_t bytes);
  static std::int32_t device_free(void* context, std::uint64_t device);
  static std::int32_t copy_to_device(void* context, std::uint64_t device, const void* host, std::uint64_t bytes);
  static std::int32_t copy_from_device(void* context, void* host, std::uint64_t device, std::uint64_t bytes);
  static std::int32_t device_memset(void* context, std::uint64_t device, std::int32_t value, std::uint64_t bytes);
  static void* register_to_host(void* context, std::uint64_t device, std::uint64_t bytes);
  static std::int32_t unregister_from_host(void* context, std::uint64_t device);
  static HostViewStatus acquire_view(void* context, std::uint64_t device, std::uint64_t bytes, void** view);
  static std::uint64_t other_producer(void* context, std::uint64_t device, std::uint64_t bytes);
  static void charge_view_accesses(void* context, std::uint64_t loads, std::uint64_t stores);
  static std::uint64_t now_ps(void* context);

  DeviceRunner& runner_;
  RunViews views_;
  const RunNumber number_;
  HostApi api_;
  bool views_closed_ = false;
  Error last_failure_;
};

}  // namespace svmrt
