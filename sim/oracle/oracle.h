// SPDX-License-Identifier: Apache-2.0
// Checks what a runtime does to a simulated machine. It sees every driver call (as an observer of the machine) and is
// told by the test or command, never by the runtime, which bytes a program accessed; the runtime's own figures are
// given to it only to be checked. Rules:
//   I1  what is mapped is what the policy wants of the accesses so far: mapping_contract.h
//   I2  no free reaches the driver while a page of the block is mapped, whatever the driver answers
//   I3  each successful map has exactly one successful unmap, and no unmap is tried where none is due (already
//       unmapped, never mapped, a stranger's); as many maps per allocation as the policy allows (mapping_contract.h)
//   I4  when a read ends, device memory holds what was read; when a write ends, it holds what was written. A view used
//       at another address than the one that register returned reads or writes something else, or faults. Bytes that
//       the machine was told to have none are left out
//   I5  what is unregistered is the device address that was registered: not the host address that came back, nor an
//       address inside a mapping
//   I6  no failure code is lost: the runtime counts as many failed calls as the driver returned, and every block
//       whose unregister failed for good is reported as quarantined
//   I7  each access of child memory without a view makes exactly one device copy of exactly its bytes, each access
//       through a view none. Each claim is decided once in a run: what a copy served is served by copies from then on.
//       The count that the run reports agrees; its time is the sum of the costs of the calls on its timeline and of the
//       waits for the driver, which nothing else explains than another timeline's call
//   I8  after finalize: no mapping, no block, unless reported as quarantined; after the loss of the device: no call
// Thread-safe: calls may be made, and runs told of, on several threads, though one run by one thread at a time. A bind
// end or finalize that is told while another thread frees or maps is judged by what has reached the driver then. The
// machine calls on_call under its lock; no function may be called inside on_call of another observer.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/device_runner.h"
#include "runtime/policy.h"
#include "sim/machine/call_record.h"
#include "sim/machine/machine.h"
#include "sim/oracle/findings.h"
#include "sim/oracle/mapping_books.h"
#include "sim/oracle/mapping_contract.h"
#include "sim/oracle/open_run.h"
#include "sim/oracle/violation.h"

namespace svmsim {

class Oracle final : public CallObserver {
 public:
  // Watches `machine` from now on; both must live as long as the machine makes calls. Blocks that are there already
  // are not looked at.
  Oracle(Machine& machine, svmrt::Policy policy);

  // A child-memory tensor, by the name that messages use for an allocation that starts with it. Forgotten with its
  // block.
  void name_child_memory(DeviceAddr base, Bytes size, const std::string& name);

  // Calls between the two, of all threads, are made by somebody else than the runtime under test. Blocks and mappings
  // that they make break no rule as long as they live (I1, I2, I3, I8), but the runtime may not unmap them; their
  // failures are not the runtime's (I6); a mapping of the runtime that they drop is owed no more, in its block's
  // lifetime; time that they spend on a run's timeline may be in its reported time or not (I7). Not nested.
  void stranger_begins();
  void stranger_ended();

  // Numbers the violations that are found in between.
  void begin_round(std::uint64_t round);
  void end_round();

  // A run was opened; it goes by its timeline, until that is given to another run. Several may be open at once.
  void run_began(TimelineId run);
  // Every function that takes a run: precondition run_began(); std::out_of_range otherwise.
  // A child-memory argument is bound to the run: told before the runtime hears of it, for it and before it is accessed.
  // Under register-all it entitles to a map.
  void claimed(TimelineId run, DeviceAddr address, Bytes size);
  // The program calls register_device_memory_to_host next, which entitles to a map until the run is told of again.
  void asked_to_register(TimelineId run, DeviceAddr base);

  enum class AccessOutcome { kSucceeded, kFailed };
  struct Access {
    TimelineId run{};
    DeviceAddr address;  // null when the runtime refuses before it looks one up
    Bytes size;
    bool is_write = false;
    const void* bytes = nullptr;  // what was read, or what was to be written; null: unknown
  };
  // Around each read or write that a program makes: before it, and after it, with the same run, address and size.
  // I1 and I7 count those inside a claim of the run or a named tensor; I4 every one.
  void access_begins(TimelineId run, DeviceAddr address, Bytes size);
  void access_ended(const Access& access, AccessOutcome outcome);
  // At the end of a bind, also a failed one, after the host views were closed and before anything is launched, with
  // what the runtime reports of it: device copies, and time since run_began().
  void bind_ended(TimelineId run, std::uint64_t reported_device_copies, svmrt::Picoseconds reported_time);

  // After finalize, with what the runtime reports; may be told again after a later one.
  void finalized(std::span<const svmrt::QuarantinedBlock> quarantined, const svmrt::DriverFailures& reported);
  // The program declared the device lost: what lives now is rightly forgotten, by open runs too. A driver call by the
  // runtime breaks I8 from now on, until there is a new runner.
  void device_lost();
  // A new runner on the same machine, after the loss of the device or after a finalize. What an earlier one left
  // behind is not its own; failures count from 0.
  void runner_began();

  // In the order in which they were found. Not while another thread makes calls.
  [[nodiscard]] const std::vector<Violation>& violations() const { return findings_.violations(); }

  void on_call(const CallRecord& record) override;

 private:
  using Lock = std::lock_guard<std::mutex>;

  [[nodiscard]] OpenRun* run_of(TimelineId timeline);
  void stranger_call(const CallRecord& record);
  void on_allocate(const CallRecord& record);
  void on_free(const CallRecord& record);
  void on_register(const CallRecord& record);
  void on_unregister(const CallRecord& record);
  void on_copy(const CallRecord& record);
  void check_time(const CallRecord& record);
  void report_wrong_unregister(const CallRecord& record);
  void forget_block(DeviceAddr base);
  // How an access of child memory ended: I7 and I1.
  void check_bytes(const Access& access, const std::byte* on_device);
  void check_means(OpenRun& run, const Access& access, AccessOutcome outcome);
  void check_copies(OpenRun& run, const Access& access);

  Machine& machine_;
  std::mutex mutex_;  // taken inside the machine's lock; guards what follows
  MappingBooks books_;
  OpenRuns runs_;
  Findings findings_;
  MappingContract contract_;
  bool stranger_ = false;
  bool lost_ = false;
  svmrt::DriverFailures failures_seen_;
  svmrt::Picoseconds driver_end_;  // when the last driver call ended
};

}  // namespace svmsim
