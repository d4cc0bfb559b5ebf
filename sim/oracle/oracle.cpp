// SPDX-License-Identifier: Apache-2.0
// What the oracle is told of runs and of the runner's end. What it sees of calls is in oracle_calls.cpp.
#include "sim/oracle/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace svmsim {

using svmrt::Picoseconds;

Oracle::Oracle(Machine& machine, svmrt::Policy policy)
    : machine_(machine),
      findings_(machine, books_),
      contract_(policy, machine.platform().host_map_path, books_, runs_, findings_) {
  machine.add_observer(*this);
}

void Oracle::name_child_memory(DeviceAddr base, Bytes size, const std::string& name) {
  const Lock lock(mutex_);
  findings_.name(base, size, name);
}

void Oracle::stranger_begins() {
  const Lock lock(mutex_);
  stranger_ = true;
}

void Oracle::stranger_ended() {
  const Lock lock(mutex_);
  stranger_ = false;
}

void Oracle::begin_round(std::uint64_t round) {
  const Lock lock(mutex_);
  findings_.set_round(static_cast<std::int64_t>(round));
}

void Oracle::end_round() {
  const Lock lock(mutex_);
  findings_.set_round(-1);
}

OpenRun* Oracle::run_of(TimelineId timeline) {
  const auto found = runs_.find(timeline);
  return found == runs_.end() ? nullptr : &found->second;
}

void Oracle::run_began(TimelineId run) {
  const Picoseconds present = machine_.now(run);
  const Lock lock(mutex_);
  OpenRun& opened = runs_[run] = OpenRun{};
  opened.present = present;
}

void Oracle::claimed(TimelineId run, DeviceAddr address, Bytes size) {
  const Lock lock(mutex_);
  OpenRun& open = runs_.at(run);
  open.asked.reset();
  const auto block = books_.owner_of(address);
  open.claims.push_back({{address, size}, block && contract_.claim_settles_by_copy(open, *block)});
}

void Oracle::asked_to_register(TimelineId run, DeviceAddr base) {
  const Lock lock(mutex_);
  OpenRun& open = runs_.at(run);
  open.asked = base;
  if (const auto block = books_.block_at(base)) open.asked_for.insert(block->block->life);
}

void Oracle::access_begins(TimelineId run, DeviceAddr address, Bytes size) {
  const Lock lock(mutex_);
  OpenRun& open = runs_.at(run);
  open.asked.reset();
  open.access = DeviceSpan{address, size};
  open.copies_of_access.clear();
}

void Oracle::access_ended(const Access& access, AccessOutcome outcome) {
  const bool comparable =
      outcome == AccessOutcome::kSucceeded && access.bytes != nullptr && machine_.has_data(access.address, access.size);
  const std::byte* const on_device = comparable ? machine_.device_bytes(access.address, access.size) : nullptr;
  const Lock lock(mutex_);
  OpenRun& run = runs_.at(access.run);
  run.access.reset();
  if (run.device_lost) return;  // a view may still be used, and nobody vouches for it
  if (on_device != nullptr) check_bytes(access, on_device);
  check_means(run, access, outcome);
}

void Oracle::check_bytes(const Access& access, const std::byte* on_device) {
  const auto* const bytes = static_cast<const std::byte*>(access.bytes);
  const auto size = static_cast<std::ptrdiff_t>(access.size.count());
  const auto differs = std::mismatch(on_device, on_device + size, bytes).first - on_device;
  if (differs == size) return;
  findings_.report(
      "I4", access.address,
      fmt::format("{} of {} bytes at {}: byte {} is {:#04x}, but the device holds {:#04x}",
                  access.is_write ? "a write" : "a read", size, findings_.address_text(access.address), differs,
                  std::to_integer<unsigned>(bytes[differs]), std::to_integer<unsigned>(on_device[differs])));
}

void Oracle::check_means(OpenRun& run, const Access& access, AccessOutcome outcome) {
  const DeviceSpan span{access.address, access.size};
  const bool claimed = run.claims_whole(span);
  if (!claimed && !findings_.is_named(span.base, span.size)) return;  // a staged tensor
  auto block = books_.owner_of(span.base);
  if (block && !span.is_inside(block->base, block->block->size)) block.reset();
  const bool had_copies = block && run.copied.contains(block->block->life);
  const bool known = had_copies || (block && run.accessed.contains(block->block->life));
  // A claim that goes by copies tries to map nothing, even when its block was freed and another took its place.
  const bool goes_by_copy = claimed ? run.claim_goes_by_copy(span) : had_copies;
  const bool copied = !run.copies_of_access.empty();
  const bool has_view = books_.view_covers(span.base, span.size);
  const bool went_through_view = has_view && !copied;
  if (block && outcome == AccessOutcome::kSucceeded && (known || !goes_by_copy || went_through_view)) {
    contract_.accessed(run, *block);
    run.accessed.insert(block->block->life);
  }
  const bool had_view = block && block->block->disturbed;  // which a stranger dropped
  if ((has_view || had_view) && !copied) return;
  if (has_view && !goes_by_copy) {
    findings_.report("I7", span.base,
                     fmt::format("an access of {} bytes at {} has a view, but {} device copies were made",
                                 span.size.count(), findings_.address_text(span.base), run.copies_of_access.size()));
    return;
  }
  // An access that failed before it came to a copy counts nowhere; a failed copy counts like any other.
  if (outcome == AccessOutcome::kFailed && !copied) return;
  ++run.copies_expected;
  if (block && outcome == AccessOutcome::kFailed) contract_.copy_failed(run, *block);
  if (block) run.copied.insert(block->block->life);
  for (Claim& claim : run.claims) claim.by_copy = claim.by_copy || claim.covers(span);
  check_copies(run, access);
}

void Oracle::check_copies(OpenRun& run, const Access& access) {
  if (run.copies_of_access.size() != 1) {
    findings_.report(
        "I7", access.address,
        fmt::format("an access of {} bytes at {} has no view and made {} device copies, not 1", access.size.count(),
                    findings_.address_text(access.address), run.copies_of_access.size()));
    return;
  }
  const CallRecord& copy = run.copies_of_access.front();
  const CallKind kind = access.is_write ? CallKind::kCopyToDevice : CallKind::kCopyFromDevice;
  if (copy.kind != kind || copy.address != access.address || copy.size != access.size) {
    findings_.report(
        "I7", access.address,
        fmt::format("{} of {} bytes at {} made a {} call of {} bytes at {}", access.is_write ? "a write" : "a read",
                    access.size.count(), findings_.address_text(access.address), call_kind_name(copy.kind),
                    copy.size.count(), findings_.address_text(copy.address)));
  }
}

void Oracle::bind_ended(TimelineId timeline, std::uint64_t reported_device_copies, Picoseconds reported_time) {
  const Lock lock(mutex_);
  OpenRun& run = runs_.at(timeline);
  run.asked.reset();
  run.bound = true;
  if (reported_device_copies != run.copies_expected) {
    findings_.report("I7", DeviceAddr(),
                     fmt::format("{} accesses had no view, but the run reports {} device copies", run.copies_expected,
                                 reported_device_copies));
  }
  if (reported_time != run.spent && reported_time + run.spent_by_strangers != run.spent) {
    findings_.report("I7", DeviceAddr(),
                     fmt::format("the calls of the bind cost {} ps, but the bind took {} ps", run.spent.count(),
                                 reported_time.count()));
  }
  if (!run.device_lost) contract_.bind_ended(run);
}

void Oracle::finalized(std::span<const svmrt::QuarantinedBlock> quarantined, const svmrt::DriverFailures& reported) {
  const Lock lock(mutex_);
  const auto is_reported = [&](DeviceAddr base) {
    return std::any_of(quarantined.begin(), quarantined.end(), [&](const auto& block) { return block.base == base; });
  };
  for (const auto& [base, mapping] : books_.mappings()) {
    if (mapping.foreign || is_reported(books_.allocation_of(base))) continue;
    findings_.report("I3", base, fmt::format("a mapping of {} bytes was never unmapped", mapping.size.count()));
    findings_.report("I8", base, fmt::format("{} bytes are still mapped after finalize", mapping.size.count()));
  }
  for (const auto& [base, block] : books_.blocks()) {
    if (block.foreign || is_reported(base)) continue;
    findings_.report("I8", base,
                     fmt::format("a block of {} bytes is still allocated after finalize", block.size.count()));
    if (block.unregister_failed) findings_.report("I6", base, "its unregister failed and nothing reports that");
    if (block.free_failed) findings_.report("I6", base, "its free failed and nothing reports that");
  }
  const auto compare = [&](const char* call, std::uint64_t seen, std::uint64_t told) {
    if (seen == told) return;
    findings_.report("I6", DeviceAddr(),
                     fmt::format("{} {} calls failed, but the runtime counts {}", seen, call, told));
  };
  compare("allocate", failures_seen_.allocate, reported.allocate);
  compare("free", failures_seen_.free, reported.free);
  compare("register", failures_seen_.register_to_host, reported.register_to_host);
  compare("unregister", failures_seen_.unregister, reported.unregister);
  compare("copy", failures_seen_.copy, reported.copy);
}

void Oracle::device_lost() {
  const Lock lock(mutex_);
  lost_ = true;
  books_.all_become_foreign();
  for (auto& [timeline, run] : runs_) run.device_lost = true;
}

void Oracle::runner_began() {
  const Lock lock(mutex_);
  lost_ = false;
  books_.all_become_foreign();
  runs_.clear();
  failures_seen_ = {};
}

}  // namespace svmsim
