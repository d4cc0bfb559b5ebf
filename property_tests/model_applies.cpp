// SPDX-License-Identifier: Apache-2.0
// Which operations have an object in this state, and are a step that a sane program could take.
#include "property_tests/model_access.h"
#include "property_tests/model_state.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DriverCode;

namespace {

constexpr std::uint64_t kLargestFill = 64 << 10;
constexpr std::uint64_t kLargestStaged = 64 << 10;

bool is_port_call(CallKind kind) {
  switch (kind) {
    case CallKind::kAllocate:
    case CallKind::kFree:
    case CallKind::kRegister:
    case CallKind::kUnregister:
    case CallKind::kCopyToDevice:
    case CallKind::kCopyFromDevice:
    case CallKind::kSetMemory:
      return true;
    default:
      return false;
  }
}

}  // namespace

// A free of somebody else's block by a forgotten address is no step of a sane program.
bool Model::State::free_applies(const Operation& operation) const {
  if (!is_known(operation.slot) || !can_call(operation.run)) return false;
  const ModelBlock* const owner = runner.owner_of(address_of(operation));
  return owner == nullptr || owner->base != address_of(operation) || owner == block_of(operation.slot);
}

bool Model::State::claim_applies(const Operation& operation) const {
  if (!is_open(operation.run) || !is_known(operation.slot)) return false;
  if (operation.region != RegionKind::kStaged) return true;
  return operation.size <= kLargestStaged && block_around(operation) != nullptr;
}

bool Model::State::access_applies(const Operation& operation) const {
  if (!is_open(operation.run) || !is_known(operation.slot) || operation.size > kLargestAccess) return false;
  const bool writes = operation.kind == OperationKind::kWrite;
  return !model_touches_freed(runner, runner.run(operation.run), address_of(operation), Bytes(operation.size), writes);
}

bool Model::State::stranger_applies(const Operation& operation) const {
  if (runner.driver().any_is_to_fail()) return false;
  if (operation.kind == OperationKind::kStrangerLeaks) return runner.driver().lets_strangers_map(Bytes(operation.size));
  const ModelBlock* const block = block_of(operation.slot);
  if (block == nullptr || !runner.driver().lets_strangers_map(block->size)) return false;
  if (operation.kind == OperationKind::kStrangerUnmaps) return block->stranger == ModelBlock::Stranger::kMade;
  return !block->mapped && block->stranger == ModelBlock::Stranger::kNone;
}

bool Model::State::race_applies(const Operation& operation) const {
  if (!is_open(operation.run) || !is_open(operation.other) || operation.run == operation.other) return false;
  const bool have_views = !runner.run(operation.run).closed && !runner.run(operation.other).closed;
  return have_views && is_known(operation.slot);
}

bool Model::State::applies(const Operation& operation) const {
  const bool in_run = is_open(operation.run);
  switch (operation.kind) {
    case OperationKind::kAllocate:
      return operation.slot < kSlots && can_call(operation.run) && block_of(operation.slot) == nullptr;
    case OperationKind::kFree:
      return free_applies(operation);
    case OperationKind::kOpenRun:
      return operation.run < kRuns && !in_run;
    case OperationKind::kClaim:
      return claim_applies(operation);
    case OperationKind::kRead:
    case OperationKind::kWrite:
      return access_applies(operation);
    case OperationKind::kCloseViews:
    case OperationKind::kEndRun:
      return in_run;
    case OperationKind::kRegister:
    case OperationKind::kUnregister:
      return in_run && is_known(operation.slot);
    case OperationKind::kUpload:
    case OperationKind::kDownload:
      return in_run && operation.size <= kLargestAccess && in_own_block(operation);
    case OperationKind::kSetMemory:
      return in_run && operation.size <= kLargestFill && in_own_block(operation);
    case OperationKind::kDeviceWrite:
      return is_known(operation.slot) && operation.size <= kLargestAccess && block_around(operation) != nullptr;
    case OperationKind::kFailNext:
      return is_port_call(operation.call) && operation.code != DriverCode::kNone &&
             !runner.driver().is_to_fail(operation.call);
    case OperationKind::kStrangerLeaks:
    case OperationKind::kStrangerMaps:
    case OperationKind::kStrangerUnmaps:
      return stranger_applies(operation);
    case OperationKind::kFinalize:
    case OperationKind::kLoseDevice:
      return true;
    case OperationKind::kRestart:
      return !runner.any_open();
    case OperationKind::kFork:
      return operation.slot < kSlots && operation.run < kRuns;
    case OperationKind::kRace:
      return race_applies(operation);
  }
  return false;
}

bool Model::reaches_child_memory(const Operation& operation) const {
  const ModelRun& run = state_->runner.run(operation.run);
  const auto serving = run.serving(state_->address_of(operation), Bytes(operation.size));
  return !serving || run.regions[*serving].kind == RegionKind::kChildMemory;
}

}  // namespace svmsim
