// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/oracle.h"

#include <fmt/format.h>

#include <algorithm>

namespace svmsim {

using svmrt::Picoseconds;
using svmrt::Policy;

Oracle::Oracle(Machine& machine, Policy policy) : machine_(machine), policy_(policy) { machine.add_observer(*this); }

void Oracle::report(const char* rule, DeviceAddr address, std::string message) {
  Violation violation;
  violation.rule = rule;
  violation.round = round_;
  violation.message = std::move(message);
  if (!address.is_null()) {
    const DeviceAddr base = books_.allocation_of(address);
    const auto named = child_memory_.find(base);
    violation.allocation =
        named != child_memory_.end() ? named->second.name : fmt::format("svm+{:#x}", machine_.relative(base));
  }
  violations_.push_back(std::move(violation));
}

void Oracle::name_child_memory(DeviceAddr base, Bytes size, const std::string& name) {
  child_memory_[base] = ChildMemory{size, name};
}

void Oracle::begin_round(std::uint64_t round) {
  round_ = static_cast<std::int64_t>(round);
  books_.begin_bind();
}

void Oracle::end_round() { round_ = -1; }

void Oracle::stranger_begins() {}
void Oracle::stranger_ended() {}
void Oracle::claimed(TimelineId, DeviceAddr, Bytes) {}
void Oracle::asked_to_register(TimelineId, DeviceAddr) {}
void Oracle::device_lost() {}
void Oracle::runner_began() {}

void Oracle::run_began(TimelineId run) { runs_[run] = Run{}; }

void Oracle::access_begins(TimelineId run, DeviceAddr, Bytes) {
  runs_[run].in_access = true;
  runs_[run].copies_of_access.clear();
}

void Oracle::access_ended(const Access& access, AccessOutcome outcome) {
  Run& run = runs_[access.run];
  const DeviceAddr address = access.address;
  const Bytes size = access.size;
  run.in_access = false;
  const auto behind = child_memory_.upper_bound(address);
  if (behind == child_memory_.begin()) return;
  const auto& [base, tensor] = *std::prev(behind);
  if (!svmrt::span_inside(address, size, base, tensor.size)) return;  // a staged tensor
  const auto offset = (address - base).count();
  if (books_.view_covers(address, size)) {
    if (!run.copies_of_access.empty()) {
      report("I7", base,
             fmt::format("an access of {} bytes at offset {} has a view, but {} device copies were made", size.count(),
                         offset, run.copies_of_access.size()));
    }
    return;
  }
  // An access that failed before it came to a copy counts nowhere; a failed copy counts like any other.
  if (outcome == AccessOutcome::kFailed && run.copies_of_access.empty()) return;
  ++run.copies_expected;
  if (run.copies_of_access.size() != 1) {
    report("I7", base,
           fmt::format("an access of {} bytes at offset {} has no view and made {} device copies, not 1", size.count(),
                       offset, run.copies_of_access.size()));
    return;
  }
  const CallRecord& copy = run.copies_of_access.front();
  if (copy.address != address || copy.size != size) {
    report("I7", base,
           fmt::format("an access of {} bytes at svm+{:#x} copied {} bytes at svm+{:#x}", size.count(),
                       machine_.relative(address), copy.size.count(), machine_.relative(copy.address)));
  }
}

void Oracle::bind_ended(TimelineId timeline, std::uint64_t reported_device_copies, Picoseconds reported_time) {
  const Run& run = runs_[timeline];
  if (reported_device_copies != run.copies_expected) {
    report("I7", DeviceAddr(),
           fmt::format("{} accesses had no view, but the run reports {} device copies", run.copies_expected,
                       reported_device_copies));
  }
  if (reported_time != run.cost) {
    report("I7", DeviceAddr(),
           fmt::format("the calls of the bind cost {} ps, but the bind took {} ps", run.cost.count(),
                       reported_time.count()));
  }
}

void Oracle::finalized(std::span<const svmrt::QuarantinedBlock> quarantined, const svmrt::DriverFailures& reported) {
  const auto is_reported = [&](DeviceAddr base) {
    return std::any_of(quarantined.begin(), quarantined.end(), [&](const auto& block) { return block.base == base; });
  };
  for (const auto& [base, mapping] : books_.mappings()) {
    if (is_reported(base)) continue;
    report("I3", base, fmt::format("a mapping of {} bytes was never unmapped", mapping.size.count()));
    report("I8", base, fmt::format("{} bytes are still mapped after finalize", mapping.size.count()));
  }
  for (const auto& [base, block] : books_.blocks()) {
    if (is_reported(base)) continue;
    report("I8", base, fmt::format("a block of {} bytes is still allocated after finalize", block.size.count()));
    if (block.unregister_failed) report("I6", base, "its unregister failed and nothing reports that");
    if (block.free_failed) report("I6", base, "its free failed and nothing reports that");
  }
  const auto compare = [&](const char* call, std::uint64_t seen, std::uint64_t told) {
    if (seen == told) return;
    report("I6", DeviceAddr(), fmt::format("{} {} calls failed, but the runtime counts {}", seen, call, told));
  };
  compare("allocate", failures_seen_.allocate, reported.allocate);
  compare("free", failures_seen_.free, reported.free);
  compare("register", failures_seen_.register_to_host, reported.register_to_host);
  compare("unregister", failures_seen_.unregister, reported.unregister);
  compare("copy", failures_seen_.copy, reported.copy);
}

void Oracle::on_call(const CallRecord& record) {
  check_time(record);
  switch (record.kind) {
    case CallKind::kAllocate:
      on_allocate(record);
      break;
    case CallKind::kFree:
      on_free(record);
      break;
    case CallKind::kRegister:
      on_register(record);
      break;
    case CallKind::kUnregister:
      on_unregister(record);
      break;
    case CallKind::kCopyToDevice:
    case CallKind::kCopyFromDevice:
      if (runs_[record.timeline].in_access) runs_[record.timeline].copies_of_access.push_back(record);
      [[fallthrough]];
    case CallKind::kCopyOnDevice:
    case CallKind::kSetMemory:
      if (record.code != DriverCode::kNone) ++failures_seen_.copy;
      break;
    case CallKind::kClose:  // F3: drops every mapping and block in silence
      books_ = MappingBooks();
      break;
    case CallKind::kViewAccesses:
    case CallKind::kLaunch:
      break;
  }
}

void Oracle::check_time(const CallRecord& record) {
  runs_[record.timeline].cost += record.cost;
  if (record.kind == CallKind::kLaunch || record.kind == CallKind::kViewAccesses) return;
  if (record.begin < driver_end_) {
    report("I7", record.address,
           fmt::format("a {} call began at {} ps, while the driver was busy until {} ps", call_kind_name(record.kind),
                       record.begin.count(), driver_end_.count()));
  }
  driver_end_ = record.begin + record.cost;
}

void Oracle::on_allocate(const CallRecord& record) {
  if (record.code != DriverCode::kNone) {
    ++failures_seen_.allocate;
    return;
  }
  books_.allocated(record.address, record.size);
}

void Oracle::on_free(const CallRecord& record) {
  const auto entry = books_.block_at(record.address);
  if (const auto mapped = books_.mapped_block_at(record.address)) {
    report("I2", mapped->base,
           fmt::format("a free of {} bytes reached the driver while the block is mapped", mapped->block->size.count()));
  }
  if (record.code == DriverCode::kNone) {
    books_.freed(record.address);
    child_memory_.erase(record.address);
    return;
  }
  ++failures_seen_.free;
  if (entry) entry->block->free_failed = true;
}

void Oracle::check_map_count(DeviceAddr base, const MappingBooks::Block& block) {
  switch (policy_.kind()) {
    case Policy::Kind::kCached:
      if (block.maps_in_life > 1) {
        report("I3", base, fmt::format("mapped {} times in its lifetime; cached maps once", block.maps_in_life));
      }
      return;
    case Policy::Kind::kRebuild:
    case Policy::Kind::kRegisterAll:
      if (block.maps_in_bind > 1) {
        report(
            "I3", base,
            fmt::format("mapped {} times in one bind; {} maps once", block.maps_in_bind, svmrt::policy_name(policy_)));
      }
      return;
    case Policy::Kind::kCopyOnly:
      report("I3", base, "mapped, but copy-only never maps");
      return;
    case Policy::Kind::kBudget:  // dropped and mapped again as often as the budget wants
      return;
  }
}

void Oracle::on_register(const CallRecord& record) {
  if (record.code != DriverCode::kNone) {
    ++failures_seen_.register_to_host;
    return;
  }
  books_.mapped(record.address, record.size);
  const auto owner = books_.owner_of(record.address);
  if (!owner) {
    report("I3", record.address, "mapped, but no live block holds the address");
    return;
  }
  ++owner->block->maps_in_life;
  ++owner->block->maps_in_bind;
  check_map_count(owner->base, *owner->block);
}

void Oracle::on_unregister(const CallRecord& record) {
  const auto entry = books_.block_at(record.address);
  if (record.code != DriverCode::kNone) {
    ++failures_seen_.unregister;
    if (entry) entry->block->unregister_failed = true;
    if (!books_.mapping_touches(record.address, Bytes(1))) {
      report("I3", record.address,
             fmt::format("an unregister of an address that is not mapped (code {})", svmrt::code_number(record.code)));
    }
    return;
  }
  if (entry) entry->block->unregister_failed = false;
  if (!books_.unmapped(record.address)) report("I3", record.address, "unmapped, but no mapping starts there");
}

}  // namespace svmsim
