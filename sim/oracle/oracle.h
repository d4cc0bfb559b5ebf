// SPDX-License-Identifier: Apache-2.0
// Checks what a runtime does to a simulated machine. It sees every driver call (as an observer of the machine) and is
// told by the test or command, never by the runtime, which bytes an orchestration accessed; the runtime's own
// figures are given to it only to be checked. Rules:
//   I2  no free reaches the driver while a page of the block is mapped
//   I3  each successful map has exactly one successful unmap; as many maps per allocation as the policy allows:
//       cached one in its lifetime, rebuild and register-all one in a bind, copy-only none
//   I6  no failure code is lost: the runtime counts as many failed calls as the driver returned, and every block
//       whose unregister failed for good is reported as quarantined
//   I7  each access without a view makes exactly one device copy of exactly its bytes, each access through a view
//       none; the reported count agrees; a timeline advances by the sum of the costs of its calls
//   I8  after finalize: no mapping, no block, unless reported as quarantined
// Thread-bound: one thread drives the machine and tells the oracle.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/device_runner.h"
#include "runtime/policy.h"
#include "sim/machine/call_record.h"
#include "sim/machine/machine.h"
#include "sim/oracle/mapping_books.h"
#include "sim/oracle/violation.h"

namespace svmsim {

class Oracle final : public CallObserver {
 public:
  // Watches `machine` from now on; both must live as long as the machine makes calls.
  Oracle(Machine& machine, svmrt::Policy policy);

  // A resident tensor, by the name that messages use. Only accesses to these count for I7.
  void name_child_memory(DeviceAddr base, Bytes size, const std::string& name);

  // Calls between the two are made by somebody else than the runtime under test.
  void stranger_begins();
  void stranger_ended();

  void begin_round(std::uint64_t round);
  void end_round();

  // A run was opened; it goes by its timeline. Several may be open at once.
  void run_began(TimelineId run);
  // A child-memory argument is bound to the run; told before the runtime hears of it.
  void claimed(TimelineId run, DeviceAddr address, Bytes size);
  // The program calls register_device_memory_to_host next.
  void asked_to_register(TimelineId run, DeviceAddr base);
  // Around each read or write that a program makes: before it, and after it.
  enum class AccessOutcome { kSucceeded, kFailed };
  struct Access {
    TimelineId run{};
    DeviceAddr address;
    Bytes size;
    bool is_write = false;
    const void* bytes = nullptr;  // what was read, or what was to be written; null: unknown
  };
  void access_begins(TimelineId run, DeviceAddr address, Bytes size);
  void access_ended(const Access& access, AccessOutcome outcome);
  // At the end of a bind, after the host views were closed and before anything is launched, with what the runtime
  // reports of it.
  void bind_ended(TimelineId run, std::uint64_t reported_device_copies, svmrt::Picoseconds reported_time);
  // After finalize, with what the runtime reports.
  void finalized(std::span<const svmrt::QuarantinedBlock> quarantined, const svmrt::DriverFailures& reported);
  // The program declared the device lost: what lives now is rightly forgotten.
  void device_lost();
  // A new runner on the same machine.
  void runner_began();

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }

  void on_call(const CallRecord& record) override;

 private:
  void on_allocate(const CallRecord& record);
  void on_free(const CallRecord& record);
  void on_register(const CallRecord& record);
  void on_unregister(const CallRecord& record);
  void check_time(const CallRecord& record);
  void check_map_count(DeviceAddr base, const MappingBooks::Block& block);
  void report(const char* rule, DeviceAddr address, std::string message);

  Machine& machine_;
  const svmrt::Policy policy_;
  MappingBooks books_;
  std::int64_t round_ = -1;
  struct ChildMemory {
    Bytes size;
    std::string name;
  };
  std::map<DeviceAddr, ChildMemory> child_memory_;
  struct Run {
    bool in_access = false;
    std::vector<CallRecord> copies_of_access;  // device copies since access_begins()
    std::uint64_t copies_expected = 0;         // accesses of this bind that had no view
    svmrt::Picoseconds cost;                   // of its calls
  };
  std::map<TimelineId, Run> runs_;
  svmrt::DriverFailures failures_seen_;
  svmrt::Picoseconds driver_end_;  // when the last driver call ended
  std::vector<Violation> violations_;
};

}  // namespace svmsim
