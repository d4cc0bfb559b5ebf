// SPDX-License-Identifier: Apache-2.0
// Which allocations a runtime may and must hold mapped under its policy: rule I1, and how often it may map one (I3).
//
//   cached        at the end of a bind, of any run, the mapped allocations are exactly those that an access reached
//                 since they were allocated; once in a lifetime
//   budget        as cached, without the limit on how often; held bytes, as asked, never above the limit. An
//                 allocation may be unmapped when it was dropped for another that did not fit beside what was held, or
//                 when it did not fit beside what open runs use
//   rebuild       at the first access of a run the allocation is mapped, or the run tried; at the end of a bind nothing
//                 is mapped that no other open run accessed; each run maps once
//   register-all  as rebuild, and a claim entitles to a map as an access does
//   copy-only     nothing is mapped
//
// Under every policy a register call is made for an access of a region inside that allocation, or (register-all) for a
// claim of one, or because the program asked for it by hand. What it asked for may stay mapped as if accessed, and
// need not. Not demanded of an allocation: where the platform has no host-map path (then no register call may be made
// at all); when its register was refused with NOT_SUPPORT in this lifetime; when its last register failed, until a
// later run accesses it: that run tries too; when its unregister failed; when it, or a mapping that was dropped in it,
// has to do with a stranger. A free that the driver refuses starts a new lifetime for I1 and I3, since the
// runtime had dropped the mapping; what it learned of failed registers it may go by. Owned by the oracle. Thread-bound.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/policy.h"
#include "sim/machine/call_record.h"
#include "sim/oracle/findings.h"
#include "sim/oracle/mapping_books.h"
#include "sim/oracle/open_run.h"

namespace svmsim {

class MappingContract {
 public:
  using Entry = MappingBooks::Entry;

  // Borrows the last three. `can_map`: the platform has a host-map path.
  MappingContract(svmrt::Policy policy, bool can_map, MappingBooks& books, OpenRuns& runs, Findings& findings)
      : policy_(policy), can_map_(can_map), books_(books), runs_(runs), findings_(findings) {}

  // Calls of the runtime, told when the books know them. `run` is the run of the timeline; null without one.
  void registered(OpenRun* run, const CallRecord& record);
  void unregistered(const OpenRun* run, const Entry& block);  // the driver did it, the books still have the mapping
  void free_failed(const Entry& block);                       // gives it the number of a new life, unless it is mapped
  void block_gone(const MappingBooks::Block& block) { notes_.erase(block.life); }
  void all_blocks_gone() { notes_.clear(); }

  // A child-memory access of `run` that succeeded, to bytes inside `block`; before the run's own sets know of it.
  void accessed(OpenRun& run, const Entry& block);
  // A claim that the run makes now is resolved at once (register-all), and finds the block in quarantine, refused, or
  // that a register of the run failed.
  [[nodiscard]] bool claim_settles_by_copy(const OpenRun& run, const Entry& block);
  // One that failed in its device copy, which shows that the run goes without a view.
  void copy_failed(OpenRun& run, const Entry& block);
  // The run is bound by now.
  void bind_ended(const OpenRun& run);

 private:
  struct Notes {
    bool accessed = false;
    bool asked_for = false;       // a register by hand succeeded
    bool refused = false;         // NOT_SUPPORT
    bool attempt_failed = false;  // the last register did, otherwise
    bool no_room = false;         // in the budget, when it was dropped or last accessed
    std::uint64_t maps = 0;
  };

  [[nodiscard]] bool drops_at_close() const;
  [[nodiscard]] bool is_mapped(const Entry& block) const;
  [[nodiscard]] bool is_entitled(const OpenRun* run, const Entry& block) const;
  [[nodiscard]] bool may_stay_mapped(const Entry& block);
  // Unmapped, and nothing but a failed attempt could excuse it.
  [[nodiscard]] bool is_missed(const Entry& block);
  void check_map_count(OpenRun* run, const Entry& block, bool asked);
  void check_budget(const Entry& block);
  void note_room(OpenRun& run, const Entry& block);
  // Of the runtime's mappings, as asked.
  [[nodiscard]] svmrt::Bytes held() const;
  // The same, only what could not be dropped: in use by an open run, or left by a failed unregister.
  [[nodiscard]] svmrt::Bytes held_in_use();

  const svmrt::Policy policy_;
  const bool can_map_;
  MappingBooks& books_;
  OpenRuns& runs_;
  Findings& findings_;
  std::map<std::uint64_t, Notes> notes_;  // by the life of the block
};

}  // namespace svmsim
