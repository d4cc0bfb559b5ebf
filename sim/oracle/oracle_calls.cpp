// SPDX-License-Identifier: Apache-2.0
// What the oracle sees of driver calls.
#include <fmt/format.h>

#include "sim/oracle/oracle.h"

namespace svmsim {

using svmrt::Picoseconds;

namespace {

// Calls that a runtime makes of its driver; the others are the device's work, a charge, or the program's own end.
bool is_driver_call(CallKind kind) {
  return kind != CallKind::kViewAccesses && kind != CallKind::kLaunch && kind != CallKind::kClose;
}

}  // namespace

void Oracle::on_call(const CallRecord& record) {
  const Lock lock(mutex_);
  check_time(record);
  if (record.kind == CallKind::kClose) {  // F3: drops every mapping and block in silence
    books_.clear();
    contract_.all_blocks_gone();
    return;
  }
  if (stranger_) {
    stranger_call(record);
    return;
  }
  if (lost_ && is_driver_call(record.kind)) {
    findings_.report("I8", record.address,
                     fmt::format("a {} call after the device was lost", call_kind_name(record.kind)));
  }
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
    case CallKind::kCopyOnDevice:
    case CallKind::kSetMemory:
      on_copy(record);
      break;
    case CallKind::kClose:
    case CallKind::kViewAccesses:
    case CallKind::kLaunch:
      break;
  }
}

void Oracle::check_time(const CallRecord& record) {
  const bool occupies_driver = record.kind != CallKind::kLaunch && record.kind != CallKind::kViewAccesses;
  OpenRun* const run = run_of(record.timeline);
  if (run != nullptr && !run->bound) {
    const Picoseconds wait = record.begin > run->present ? record.begin - run->present : Picoseconds(0);
    const bool explained = record.kind == CallKind::kLaunch || (occupies_driver && record.begin <= driver_end_);
    if (wait > Picoseconds(0) && !explained) {
      findings_.report(
          "I7", record.address,
          fmt::format("a {} call of a run began at {} ps, though the run was ready at {} ps and the "
                      "driver at {} ps",
                      call_kind_name(record.kind), record.begin.count(), run->present.count(), driver_end_.count()));
    }
    run->spent += wait + record.cost;
    if (stranger_) run->spent_by_strangers += wait + record.cost;
    run->present = record.begin + record.cost;
  }
  if (!occupies_driver) return;
  if (record.begin < driver_end_) {
    findings_.report("I7", record.address,
                     fmt::format("a {} call began at {} ps, while the driver was busy until {} ps",
                                 call_kind_name(record.kind), record.begin.count(), driver_end_.count()));
  }
  driver_end_ = record.begin + record.cost;
}

void Oracle::stranger_call(const CallRecord& record) {
  if (record.code != DriverCode::kNone) return;
  switch (record.kind) {
    case CallKind::kAllocate:
      books_.allocated(record.address, record.size).foreign = true;
      break;
    case CallKind::kFree:
      forget_block(record.address);
      break;
    case CallKind::kRegister:
      books_.mapped(record.address, record.size).foreign = true;
      break;
    case CallKind::kUnregister: {
      const MappingBooks::Mapping* const mapping = books_.mapping_at(record.address);
      const auto block = books_.owner_of(record.address);
      if (mapping != nullptr && !mapping->foreign && block) block->block->disturbed = true;
      static_cast<void>(books_.unmapped(record.address));
      break;
    }
    default:
      break;
  }
}

void Oracle::on_allocate(const CallRecord& record) {
  if (record.code != DriverCode::kNone) {
    ++failures_seen_.allocate;
    return;
  }
  books_.allocated(record.address, record.size);
}

void Oracle::forget_block(DeviceAddr base) {
  const auto entry = books_.block_at(base);
  if (!entry) return;
  contract_.block_gone(*entry->block);
  findings_.forget_names(base, entry->block->size);
  books_.freed(base);
}

void Oracle::on_free(const CallRecord& record) {
  if (const auto mapped = books_.mapped_block_at(record.address)) {
    findings_.report(
        "I2", mapped->base,
        fmt::format("a free of {} bytes reached the driver while the block is mapped", mapped->block->size.count()));
  }
  if (record.code == DriverCode::kNone) {
    forget_block(record.address);
    return;
  }
  ++failures_seen_.free;
  const auto entry = books_.block_at(record.address);
  if (!entry) return;
  entry->block->free_failed = true;
  contract_.free_failed(*entry);
}

void Oracle::on_register(const CallRecord& record) {
  if (record.code == DriverCode::kNone) {
    books_.mapped(record.address, record.size);
    if (const auto owner = books_.owner_of(record.address)) ++owner->block->maps_in_life;
  } else {
    ++failures_seen_.register_to_host;
  }
  contract_.registered(run_of(record.timeline), record);
}

void Oracle::on_unregister(const CallRecord& record) {
  const bool failed = record.code != DriverCode::kNone;
  if (failed) ++failures_seen_.unregister;
  const MappingBooks::Mapping* const mapping = books_.mapping_at(record.address);
  if (mapping == nullptr || mapping->foreign) {
    report_wrong_unregister(record);
    return;
  }
  const auto owner = books_.owner_of(record.address);
  if (owner) owner->block->unregister_failed = failed;
  if (failed) return;
  if (owner) contract_.unregistered(run_of(record.timeline), *owner);
  static_cast<void>(books_.unmapped(record.address));
}

void Oracle::report_wrong_unregister(const CallRecord& record) {
  const DeviceAddr address = record.address;
  const int code = svmrt::code_number(record.code);
  if (address.is_null()) {
    findings_.report("I5", address,
                     fmt::format("an unregister of an address that is not device memory, such as the one that a "
                                 "register returned (code {})",
                                 code));
    return;
  }
  if (books_.mapping_at(address) != nullptr) {
    findings_.report("I3", address, fmt::format("an unregister of what somebody else mapped (code {})", code));
    return;
  }
  if (books_.own_mapping_touches(address, Bytes(1))) {
    findings_.report("I5", address,
                     fmt::format("an unregister of {}, which lies inside a mapping and is not its start (code {})",
                                 findings_.address_text(address), code));
    return;
  }
  const auto block = books_.block_at(address);
  if (block && block->block->disturbed) return;
  const bool was_mapped = block && block->block->maps_in_life > 0;
  findings_.report("I3", address,
                   fmt::format("an unregister of {}, which {} (code {})", findings_.address_text(address),
                               was_mapped ? "is already unmapped" : "was never mapped", code));
}

void Oracle::on_copy(const CallRecord& record) {
  if (record.code != DriverCode::kNone) ++failures_seen_.copy;
  const bool crosses = record.kind == CallKind::kCopyToDevice || record.kind == CallKind::kCopyFromDevice;
  OpenRun* const run = run_of(record.timeline);
  if (crosses && run != nullptr && run->access) run->copies_of_access.push_back(record);
}

}  // namespace svmsim
