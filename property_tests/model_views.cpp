// SPDX-License-Identifier: Apache-2.0
// When a mapping comes and when it goes.
#include <algorithm>

#include "property_tests/model_runner.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

std::uint64_t ModelRunner::users_of(const ModelBlock& block) const {
  const auto uses = [&](const auto& run) { return run && run->holds_view(block.id); };
  return static_cast<std::uint64_t>(std::count_if(runs_.begin(), runs_.end(), uses));
}

bool ModelRunner::map(ModelRun& run, ModelBlock& block) {
  const Picoseconds start = run.now;
  const DriverCode code = driver_.register_to_host(run.now, block);
  for (svmrt::MappingStats* const stats : {&run.mappings, &totals_}) {
    ++(code == DriverCode::kNone ? stats->established : stats->refused);
    stats->map_time += run.now - start;
  }
  if (code == DriverCode::kNone) {
    block.mapped = true;
    return true;
  }
  ++failures_.register_to_host;
  run.hold(block).failed = true;
  block.refused = code == DriverCode::kNotSupport;
  return false;
}

DriverCode ModelRunner::unmap(Picoseconds& now, ModelBlock& block, svmrt::MappingStats* stats) {
  const Picoseconds start = now;
  const DriverCode code = driver_.unregister_from_host(now, block);
  for (svmrt::MappingStats* const counted : {stats, &totals_}) {
    if (counted == nullptr) continue;
    if (code == DriverCode::kNone) ++counted->dropped;
    counted->unmap_time += now - start;
  }
  block.mapped = code != DriverCode::kNone;
  block.quarantined = code != DriverCode::kNone;
  if (code != DriverCode::kNone) ++failures_.unregister;
  return code;
}

// A budget: mappings that no open run uses go, the one granted longest ago first, but none for a block that would not
// fit even without all of them. Quarantined ones keep their share.
bool ModelRunner::make_room(ModelRun& run, Bytes size) {
  if (policy_.kind() != svmrt::Policy::Kind::kBudget) return true;
  while (held().bytes + size > policy_.limit()) {
    Bytes idle;
    ModelBlock* oldest = nullptr;
    for (auto& [base, block] : blocks_) {
      if (block.orphan || !block.mapped || block.quarantined || users_of(block) > 0) continue;
      idle += block.size;
      if (oldest == nullptr || block.last_use < oldest->last_use) oldest = &block;
    }
    if (oldest == nullptr || held().bytes - idle + size > policy_.limit()) return false;
    unmap(run.now, *oldest, &run.mappings);
  }
  return true;
}

Answer ModelRunner::acquire(ModelRun& run, DeviceAddr address, Bytes size, ModelUse use) {
  if (run.closed || lost_) return Answer::kUnavailable;
  ModelBlock* const block = owner_of(address);
  if (block == nullptr || size == Bytes(0) || !svmrt::span_inside(address, size, block->base, block->size)) {
    return Answer::kBadSpan;
  }
  if (use == ModelUse::kRegistered && address != block->base) return Answer::kBadSpan;
  if (policy_ == svmrt::Policy::kCopyOnly || !driver_.has_host_map_path()) return Answer::kNoView;
  if (block->quarantined || block->refused) return Answer::kNoView;
  if (!block->mapped) {
    if (run.has_failed(block->id) || !make_room(run, block->size)) return Answer::kNoView;
    if (!map(run, *block)) return Answer::kNoView;
  }
  block->last_use = ++uses_;
  ModelHold& hold = run.hold(*block);
  (use == ModelUse::kAcquired ? hold.acquired : hold.registered) = true;
  return Answer::kOk;
}

DriverCode ModelRunner::end_use(ModelRun& run, DeviceAddr base) {
  ModelBlock* const block = owner_of(base);
  if (block == nullptr) return DriverCode::kNone;  // gone with the device
  const bool drops = policy_ == svmrt::Policy::kRebuild || policy_ == svmrt::Policy::kRegisterAll;
  if (!drops || users_of(*block) > 0) return DriverCode::kNone;
  return unmap(run.now, *block, &run.mappings);
}

Answer ModelRunner::register_by_hand(ModelRun& run, DeviceAddr base, Bytes size) {
  if (run.registered_at(base) != nullptr) return Answer::kNoView;
  return acquire(run, base, size, ModelUse::kRegistered) == Answer::kOk ? Answer::kOk : Answer::kNoView;
}

Outcome ModelRunner::unregister(ModelRun& run, DeviceAddr base) {
  ModelHold* const hold = run.registered_at(base);
  if (hold == nullptr) return {Answer::kRefused, 0, {}};
  hold->registered = false;
  if (hold->acquired) return {Answer::kOk, 0, {}};
  const DriverCode code = end_use(run, base);
  return {code == DriverCode::kNone ? Answer::kOk : Answer::kDriver, svmrt::code_number(code), {}};
}

}  // namespace svmsim
