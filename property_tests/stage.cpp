// SPDX-License-Identifier: Apache-2.0
#include "property_tests/stage.h"

#include <fmt/format.h>

#include <algorithm>

namespace svmsim {

using svmrt::kRunnerTimeline;

Stage::Stage(Machine& machine, svmrt::Policy policy)
    : machine_(machine), policy_(policy), bare_driver_(machine), driver_(bare_driver_), oracle_(machine, policy) {
  start_runner();
}

Stage::~Stage() {
  for (std::unique_ptr<Run>& run : runs_) run.reset();
  runner_.reset();
  machine_.remove_observer(oracle_);
}

void Stage::start_runner() {
  runner_.emplace(driver_, svmrt::RunnerConfig{policy_, {}});
  oracle_.runner_began();
  finalized_ = false;
  lost_ = false;
}

DeviceAddr Stage::address(const Operation& operation) const {
  return DeviceAddr(slots_[operation.slot].base.value() + operation.offset);
}

const std::byte* Stage::memory(std::uint8_t slot) const {
  const Slot& held = slots_[slot];
  return held.live ? machine_.device_bytes(held.base, held.size) : nullptr;
}

bool Stage::any_mapped(DeviceAddr base, Bytes size) const {
  const auto extents = machine_.mapped_extents();
  return std::any_of(extents.begin(), extents.end(), [&](const MappedExtent& extent) {
    return extent.base < base + size && base < extent.base + extent.size;
  });
}

Stage::Performed Stage::perform(const Operation& operation, bool reaches_child_memory) {
  switch (operation.kind) {
    case OperationKind::kAllocate:
      return allocate(operation);
    case OperationKind::kFree:
      return {free(operation), {}};
    case OperationKind::kOpenRun:
      return {open_run(operation), {}};
    case OperationKind::kClaim:
      return {claim(operation), {}};
    case OperationKind::kRead:
      return {read(operation, reaches_child_memory), {}};
    case OperationKind::kWrite:
      return {write(operation, reaches_child_memory), {}};
    case OperationKind::kCloseViews:
      return {close_views(run(operation.run)), {}};
    case OperationKind::kEndRun:
      return {end_run(operation.run), {}};
    case OperationKind::kRegister:
      return {register_by_hand(operation), {}};
    case OperationKind::kUnregister:
      return {unregister_by_hand(operation), {}};
    case OperationKind::kUpload:
    case OperationKind::kDownload:
    case OperationKind::kSetMemory:
      return {copy(operation), {}};
    case OperationKind::kDeviceWrite:
      return {device_write(operation), {}};
    case OperationKind::kFailNext:
      machine_.fail_next(operation.call, operation.code);
      return {{Answer::kOk, 0, {}}, {}};
    case OperationKind::kStrangerLeaks:
    case OperationKind::kStrangerMaps:
    case OperationKind::kStrangerUnmaps:
      return stranger(operation);
    case OperationKind::kFinalize:
      return {finalize(), {}};
    case OperationKind::kRestart:
      return {restart(), {}};
    case OperationKind::kLoseDevice:
      return {lose_device(), {}};
    case OperationKind::kFork:
      return {fork(operation), {}};
    case OperationKind::kRace:
      return {race(operation), {}};
  }
  return {};
}

void Stage::tear_down() {
  for (std::uint8_t number = 0; number < kRuns; ++number) {
    if (runs_[number]) static_cast<void>(end_run(number));
  }
  if (!finalized_ && !lost_) static_cast<void>(finalize());
}

Snapshot Stage::snapshot() {
  Snapshot now;
  const auto extents = machine_.mapped_extents();
  std::erase_if(strangers_, [&](DeviceAddr base) {
    return std::none_of(extents.begin(), extents.end(),
                        [&](const MappedExtent& extent) { return extent.base == base; });
  });
  for (const MappedExtent& extent : extents) {
    if (strangers_.count(extent.base) == 0) now.mapped.push_back({extent.base, extent.size});
  }
  now.live_blocks = runner_->live_allocations();
  now.held = runner_->held();
  now.totals = runner_->totals();
  now.failures = runner_->failures();
  for (const svmrt::QuarantinedBlock& block : runner_->quarantined()) {
    now.quarantined.push_back({block.base, block.size});
  }
  now.runner_now = machine_.now(kRunnerTimeline);
  for (std::size_t i = 0; i < kRuns; ++i) {
    const Run* const run = runs_[i].get();
    if (run == nullptr) continue;
    now.runs[i] = {machine_.now(run->context->timeline()), run->access->stats(), run->context->mapping_stats()};
  }
  return now;
}

}  // namespace svmsim
