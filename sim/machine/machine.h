// SPDX-License-Identifier: Apache-2.0
// The simulated machine: a driver personality over a backing, priced by a cost model on simulated timelines. Its
// calls are those of the driver's C interface plus the timeline that spends the time. Every call is recorded into
// the trace digest and told to the observers. Thread-safe: one lock around each call. Digests are promised for one
// thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/cost/cost_model.h"
#include "sim/driver/acl_malloc.h"
#include "sim/driver/hal_driver.h"
#include "sim/faults/fault_injector.h"
#include "sim/machine/call_record.h"
#include "sim/machine/dataless_ranges.h"
#include "sim/machine/digest.h"
#include "sim/machine/mapping_history.h"
#include "sim/machine/timelines.h"
#include "sim/machine/touch_handler.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/slice_backing.h"
#include "sim/platform.h"

namespace svmsim {

// What is chosen for one machine, beside its platform.
struct MachineOptions {
  BackingKind backing = BackingKind::kPlain;
  std::optional<FaultPlan> faults = std::nullopt;  // absent: every call is the driver's
  // For programs that make thousands of machines one after the other: what they cost is then mostly their memory.
  SliceUse memory = SliceUse::kOnce;
  // How copies reach the host addresses that callers pass; borrowed for the machine's life.
  const HostMemory* host_memory = &direct_host_memory();
};

// What a fault plan did so far.
struct FaultHits {
  std::uint64_t failed_calls = 0;
  std::vector<std::uint64_t> by_fault;  // in the order of the plan
};

class Machine {
 public:
  // Reserves address space; the error is for people.
  [[nodiscard]] static tl::expected<std::unique_ptr<Machine>, std::string> create(const Platform& platform,
                                                                                  const CostModel& cost,
                                                                                  const MachineOptions& options = {});
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();  // closes the device

  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] const CostModel& cost() const { return cost_; }

  // Driver calls; see HalDriver for their rules. A failed call costs its call term. One that fails by the fault plan
  // does not reach the driver, and is priced and recorded like any other failure.
  [[nodiscard]] AllocOutcome mem_alloc(TimelineId timeline, std::uint64_t size, std::uint64_t flag);
  // aclrtMalloc: one call, although it may ask the driver twice (P4). A fault hits the whole of it.
  [[nodiscard]] AllocOutcome allocate(TimelineId timeline, const AclMallocPlan& plan);
  [[nodiscard]] DriverCode mem_free(TimelineId timeline, DeviceAddr base);
  [[nodiscard]] RegisterOutcome host_register(TimelineId timeline, DeviceAddr source, std::uint64_t size,
                                              std::uint32_t flag, std::uint32_t device_id);
  [[nodiscard]] UnregisterOutcome host_unregister(TimelineId timeline, DeviceAddr source, std::uint32_t device_id);
  // kInvalidHandle when host memory of a copy cannot be touched; a part may be copied then.
  [[nodiscard]] DriverCode copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size);
  [[nodiscard]] DriverCode copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size);
  [[nodiscard]] UnregisterOutcome host_unregister_ex(TimelineId timeline, DeviceAddr source, std::uint32_t device_id,
                                                     std::uint32_t flag);
  [[nodiscard]] DriverCode set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size);
  // Within device memory; the ranges may overlap. Assumption: priced as a copy from the device.
  [[nodiscard]] DriverCode copy_on_device(TimelineId timeline, DeviceAddr to, DeviceAddr from, Bytes size);
  // F3, in this process. The device can be used again at once. Takes no time.
  void device_close(TimelineId timeline);

  // Queries: they take no time and are no calls in the trace.
  [[nodiscard]] DevicePointerOutcome host_get_device_pointer(std::uint64_t host, std::uint32_t device_id) const;
  [[nodiscard]] MemCtlOutcome mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const;
  // halSupportFeature: takes no time and is no call in the trace, but asking for 11 switches v2's records on (U1).
  bool support_feature(std::uint32_t device_id, std::int32_t type);

  // Occupies the device from the timeline's present (or from when it is free) for `duration`. Returns when that began.
  Picoseconds launch(TimelineId timeline, Picoseconds duration, std::uint64_t tasks);
  void charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores);

  [[nodiscard]] TimelineId open_timeline();
  void close_timeline(TimelineId timeline);
  [[nodiscard]] Picoseconds now(TimelineId timeline) const;

  // Ranges without meaningful bytes: a copy that touches one costs its time and moves nothing, and no kernel reads
  // or writes them. A device range is forgotten when the block that starts with it is freed, a host range with the
  // machine.
  void declare_host_without_data(const void* base, Bytes size);
  void declare_device_without_data(DeviceAddr base, Bytes size);
  [[nodiscard]] bool has_data(DeviceAddr base, Bytes size) const;

  // The device side's own way to bytes of live device memory; null unless [base, base + size) lies inside it.
  [[nodiscard]] std::byte* device_bytes(DeviceAddr base, Bytes size) const;

  // Borrowed until the machine ends or the observer is removed; once removed it hears no more calls, of no thread.
  void add_observer(CallObserver& observer);
  void remove_observer(CallObserver& observer);
  // For an observer inside on_call, whose thread holds the lock: true when the host can touch a page of
  // [base, base + size). Takes as long as there are mappings.
  [[nodiscard]] bool is_mapped_during_call(DeviceAddr base, Bytes size) const;
  // Of every call so far, addresses relative to the slice.
  [[nodiscard]] std::uint64_t trace_digest() const;
  // What traces and reports show for a device address.
  [[nodiscard]] std::uint64_t relative(DeviceAddr address) const { return address.value() - slice_base().value(); }
  [[nodiscard]] DeviceAddr slice_base() const { return backing_->base(); }

  // Whether the address lies where this machine's device memory does, allocated or not.
  [[nodiscard]] bool is_device_address(std::uint64_t address) const {
    return svmrt::span_inside(DeviceAddr(address), Bytes(1), backing_->base(), backing_->size());
  }
  [[nodiscard]] const HostMemory& host_memory() const { return host_memory_; }
  [[nodiscard]] FaultHits fault_hits() const;  // by_fault is empty without a plan
  // The next driver call of `kind` fails with `code`, whatever the plan says; several wait in a queue, one for each
  // call. It counts in failed_calls; the plan's own faults count the call too. Precondition: `code` is not kNone.
  void fail_next(CallKind kind, DriverCode code);

  // State for checkers and tests.
  [[nodiscard]] std::vector<BlockInfo> live_blocks() const;
  [[nodiscard]] std::vector<MappedExtent> mapped_extents() const;

 private:
  Machine(const Platform& platform, const CostModel& cost, std::unique_ptr<SliceBacking> backing,
          const MachineOptions& options);
  // All under the lock.
  [[nodiscard]] DriverCode injected(CallKind kind, DeviceAddr address);  // kNone: the driver is to be asked
  void record_driver_call(TimelineId timeline, CallKind kind, DeviceAddr address, std::uint64_t size, DriverCode code,
                          Picoseconds cost);
  void record(const CallRecord& record);

  const Platform platform_;
  const CostModel cost_;
  const HostMemory& host_memory_;
  mutable std::mutex mutex_;
  std::unique_ptr<SliceBacking> backing_;
  // What explains a forbidden touch; only with backing mmu, where one faults.
  struct TouchExplainer {
    explicit TouchExplainer(SliceBacking& backing);
    MappingHistory history;
    WatchedBacking watched;
    TouchWatch watch;
  };
  std::unique_ptr<TouchExplainer> explainer_;
  std::unique_ptr<HalDriver> hal_;
  std::optional<FaultInjector> faults_;
  Timelines timelines_;
  DatalessRanges dataless_host_;
  DatalessRanges dataless_device_;
  std::vector<CallObserver*> observers_;
  std::uint64_t records_ = 0;
  Digest trace_digest_;
};

}  // namespace svmsim
