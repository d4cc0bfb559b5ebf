// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/mapping_contract.h"

#include <fmt/format.h>

#include <algorithm>

namespace svmsim {

using svmrt::Policy;

namespace {

// What a runtime asked for, at most 31 bytes too much: aclrtMalloc rounds up to 32 bytes and adds 32 (P4).
Bytes requested_size(const MappingBooks::Block& block) {
  constexpr Bytes kPadding{32};
  return block.size > kPadding ? block.size - kPadding : block.size;
}

}  // namespace

bool MappingContract::drops_at_close() const { return policy_ == Policy::kRebuild || policy_ == Policy::kRegisterAll; }

bool MappingContract::is_mapped(const Entry& block) const {
  return books_.own_mapping_touches(block.base, block.block->size);
}

bool MappingContract::is_entitled(const OpenRun* run, const Entry& block) const {
  if (run == nullptr || run->bound) return false;
  const Bytes size = block.block->size;
  if (run->uses_inside(block.base, size)) return true;
  return policy_ == Policy::kRegisterAll && run->claims_inside(block.base, size);
}

void MappingContract::registered(OpenRun* run, const CallRecord& record) {
  const bool succeeded = record.code == DriverCode::kNone;
  if (!can_map_) findings_.report("I1", record.address, "a register call, but the platform has no host-map path");
  const auto block = books_.owner_of(record.address);
  if (!block) {
    if (succeeded) findings_.report("I3", record.address, "mapped, but no live block holds the address");
    return;
  }
  if (!is_entitled(run, *block)) {
    findings_.report(
        "I1", block->base,
        fmt::format("a register of {} bytes without an access of a region inside the allocation", record.size.count()));
  }
  Notes& notes = notes_[block->block->life];
  const bool asked = run != nullptr && run->asked == block->base;
  if (run != nullptr) {
    run->tried.insert(block->block->life);
    if (!succeeded) run->failed.insert(block->block->life);
    if (asked) run->asked.reset();
  }
  notes.attempt_failed = !succeeded && record.code != DriverCode::kNotSupport;
  if (!succeeded) {
    if (record.code == DriverCode::kNotSupport) notes.refused = true;
    if (policy_ == Policy::kRegisterAll && run != nullptr && !asked) {
      run->settle_by_copy(block->base, block->block->size);
    }
    return;
  }
  if (asked) notes.asked_for = true;
  ++notes.maps;
  check_map_count(run, *block, asked);
  check_budget(*block);
}

void MappingContract::check_map_count(OpenRun* run, const Entry& block, bool asked) {
  const std::uint64_t maps = notes_[block.block->life].maps;
  switch (policy_.kind()) {
    case Policy::Kind::kCached:
      if (maps > 1) {
        findings_.report("I3", block.base, fmt::format("mapped {} times in its lifetime; cached maps once", maps));
      }
      return;
    case Policy::Kind::kRebuild:
    case Policy::Kind::kRegisterAll: {
      if (run == nullptr || asked) return;
      const std::uint64_t maps_of_run = ++run->maps[block.block->life];
      if (maps_of_run > 1) {
        findings_.report(
            "I3", block.base,
            fmt::format("mapped {} times in one bind; {} maps once", maps_of_run, svmrt::policy_name(policy_)));
      }
      return;
    }
    case Policy::Kind::kCopyOnly:
      findings_.report("I3", block.base, "mapped, but copy-only never maps");
      return;
    case Policy::Kind::kBudget:  // dropped and mapped again as often as the budget wants
      return;
  }
}

Bytes MappingContract::held() const {
  Bytes sum;
  for (const auto& [base, mapping] : books_.mappings()) {
    if (!mapping.foreign) sum += mapping.size;
  }
  return sum;
}

Bytes MappingContract::held_in_use() {
  Bytes sum;
  for (const auto& [base, mapping] : books_.mappings()) {
    if (mapping.foreign) continue;
    const auto block = books_.owner_of(base);
    const bool in_use =
        !block || block->block->unregister_failed || std::any_of(runs_.begin(), runs_.end(), [&](const auto& entry) {
          const OpenRun& run = entry.second;
          const std::uint64_t life = block->block->life;
          return !run.bound && (run.accessed.contains(life) || run.asked_for.contains(life) ||
                                run.uses_inside(block->base, block->block->size));
        });
    if (in_use) sum += mapping.size;
  }
  return sum;
}

void MappingContract::check_budget(const Entry& block) {
  if (policy_.kind() != Policy::Kind::kBudget || held() <= policy_.limit()) return;
  findings_.report(
      "I1", block.base,
      fmt::format("{} bytes are mapped with it, above the budget of {}", held().count(), policy_.limit().count()));
}

void MappingContract::unregistered(const OpenRun* run, const Entry& block) {
  if (policy_.kind() != Policy::Kind::kBudget || run == nullptr) return;
  const DeviceAddr wanted = run->asked ? *run->asked : run->access ? run->access->base : DeviceAddr();
  const auto other = books_.owner_of(wanted);
  if (!other || other->base == block.base) return;
  notes_[block.block->life].no_room = held() + requested_size(*other->block) > policy_.limit();
}

void MappingContract::free_failed(const Entry& block) {
  if (is_mapped(block)) return;
  const std::uint64_t before = block.block->life;
  const Notes notes = notes_[before];
  notes_.erase(before);
  books_.renew(*block.block);
  Notes& renewed = notes_[block.block->life];
  renewed.refused = notes.refused;
  renewed.attempt_failed = notes.attempt_failed;
  renewed.no_room = notes.no_room;
  for (auto& [timeline, run] : runs_) {
    if (run.tried.contains(before)) run.tried.insert(block.block->life);
    if (run.copied.contains(before)) run.copied.insert(block.block->life);
    if (run.failed.contains(before)) run.failed.insert(block.block->life);
    if (run.without_room.contains(before)) run.without_room.insert(block.block->life);
  }
}

bool MappingContract::is_missed(const Entry& block) {
  const MappingBooks::Block& b = *block.block;
  const Notes& notes = notes_[b.life];
  // Under register-all an open run may have been told at its bind, before the free, that there is no view.
  const bool settled_before = policy_ == Policy::kRegisterAll && b.free_failed;
  const bool excused =
      !can_map_ || settled_before || b.foreign || b.disturbed || b.unregister_failed || notes.refused || notes.no_room;
  return policy_ != Policy::kCopyOnly && !excused && !is_mapped(block);
}

bool MappingContract::claim_settles_by_copy(const OpenRun& run, const Entry& block) {
  const MappingBooks::Block& b = *block.block;
  const bool asked_in_vain = notes_[b.life].refused || (run.failed.contains(b.life) && !is_mapped(block));
  return policy_ == Policy::kRegisterAll && (b.unregister_failed || asked_in_vain);
}

void MappingContract::note_room(OpenRun& run, const Entry& block) {
  if (policy_.kind() != Policy::Kind::kBudget || is_mapped(block)) return;
  const std::uint64_t life = block.block->life;
  notes_[life].no_room = held_in_use() + requested_size(*block.block) > policy_.limit();
  if (notes_[life].no_room) run.without_room.insert(life);
}

void MappingContract::copy_failed(OpenRun& run, const Entry& block) {
  const std::uint64_t life = block.block->life;
  if (!run.accessed.contains(life) && !run.copied.contains(life)) note_room(run, block);
}

void MappingContract::accessed(OpenRun& run, const Entry& block) {
  const std::uint64_t life = block.block->life;
  Notes& notes = notes_[life];
  // A run that settled for copies, or whose register failed, perhaps before a free that the driver refused, demands
  // nothing of the block's new life.
  const bool goes_without = run.copied.contains(life) || run.failed.contains(life);
  if (!goes_without || is_mapped(block)) notes.accessed = true;
  if (is_mapped(block)) notes.no_room = false;
  // A run decides once by what means it reaches a region.
  if (run.accessed.contains(life) || run.copied.contains(life)) return;
  note_room(run, block);
  if (drops_at_close() && is_missed(block) && !run.tried.contains(life)) {
    findings_.report("I1", block.base, "accessed, but neither mapped nor tried to");
  }
}

bool MappingContract::may_stay_mapped(const Entry& block) {
  const MappingBooks::Block& b = *block.block;
  if (b.unregister_failed) return true;
  if (policy_ == Policy::kCopyOnly) return false;
  const Notes& notes = notes_[b.life];
  if (!drops_at_close() && (notes.accessed || notes.asked_for)) return true;
  return std::any_of(runs_.begin(), runs_.end(), [&](const auto& entry) {
    const OpenRun& run = entry.second;
    if (run.bound) return false;
    if (run.accessed.contains(b.life) || run.asked_for.contains(b.life)) return true;
    return is_entitled(&run, block);
  });
}

void MappingContract::bind_ended(const OpenRun& run) {
  for (auto& [base, b] : books_.blocks()) {
    const Entry block{base, &b};
    if (is_mapped(block) && !may_stay_mapped(block)) {
      findings_.report("I1", base,
                       drops_at_close() ? "still mapped, but no other open run uses it"
                                        : "mapped at the end of a bind, but no access reached it");
    }
    const Notes& notes = notes_[b.life];
    if (drops_at_close() || !notes.accessed || !is_missed(block)) continue;
    const bool settled = run.tried.contains(b.life) || run.without_room.contains(b.life);
    const bool had_to_try = run.accessed.contains(b.life) && !settled;
    if (notes.attempt_failed && !had_to_try) continue;
    findings_.report("I1", base,
                     notes.attempt_failed ? "accessed and not mapped: its last register failed and the run did not try"
                                          : "accessed, but not mapped at the end of a bind");
  }
}

}  // namespace svmsim
