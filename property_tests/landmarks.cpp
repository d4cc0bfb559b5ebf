// SPDX-License-Identifier: Apache-2.0
#include "property_tests/landmarks.h"

namespace svmsim {

using svmrt::DriverCode;

void LandmarkFinder::note(const StepReport& report) {
  note_calls(report);
  note_memory(report);
  note_access(report);
  note_runner(report);
  before_ = report.after;
}

void LandmarkFinder::note_calls(const StepReport& report) {
  const bool by_stranger = report.operation.kind == OperationKind::kStrangerLeaks ||
                           report.operation.kind == OperationKind::kStrangerMaps ||
                           report.operation.kind == OperationKind::kStrangerUnmaps;
  if (by_stranger) return;
  bool registered = false;
  for (const CallRecord& call : report.calls) {
    const bool succeeded = call.code == DriverCode::kNone;
    switch (call.kind) {
      case CallKind::kRegister:
        registered = true;
        if (succeeded) {
          coverage_.count(Landmark::kMapped);
          if (++maps_of_block_[call.address] > 1) coverage_.count(Landmark::kMappedAgain);
        } else {
          coverage_.count(call.code == DriverCode::kNotSupport ? Landmark::kRefused : Landmark::kRegisterFailed);
        }
        break;
      case CallKind::kUnregister:
        if (!succeeded) coverage_.count(Landmark::kUnregisterFailed);
        break;
      case CallKind::kFree:
        if (!succeeded) coverage_.count(Landmark::kFreeFailed);
        break;
      case CallKind::kAllocate:
        if (!succeeded) coverage_.count(Landmark::kAllocateFailed);
        if (!succeeded) break;
        maps_of_block_[call.address] = 0;
        if (!addresses_seen_.insert(call.address).second) coverage_.count(Landmark::kReusedAddress);
        break;
      case CallKind::kCopyToDevice:
      case CallKind::kCopyFromDevice:
      case CallKind::kSetMemory:
        if (!succeeded) coverage_.count(Landmark::kCopyFailed);
        break;
      default:
        break;
    }
  }
  const bool within_a_bind = report.operation.kind == OperationKind::kRead ||
                             report.operation.kind == OperationKind::kWrite ||
                             report.operation.kind == OperationKind::kRace;
  if (policy_.kind() != svmrt::Policy::Kind::kBudget || !within_a_bind) return;
  if (report.after.totals.dropped > before_.totals.dropped) coverage_.count(Landmark::kEvicted);
  const bool copied = !report.calls.empty() && !registered && report.outcome.answer == Answer::kOk;
  if (copied && report.after.held.bytes > svmrt::Bytes(0)) coverage_.count(Landmark::kOverBudget);
}

void LandmarkFinder::note_memory(const StepReport& report) {
  if (report.after.quarantined.size() > before_.quarantined.size()) coverage_.count(Landmark::kQuarantined);
  if (report.arrived_mapped) coverage_.count(Landmark::kArrivedMapped);
  if (report.operation.kind == OperationKind::kFree) {
    if (report.outcome.answer == Answer::kInUse) coverage_.count(Landmark::kFreeInUse);
    const bool unknown =
        report.outcome.answer == Answer::kUnknownAddress || report.outcome.answer == Answer::kInteriorAddress;
    if (unknown) coverage_.count(Landmark::kFreeUnknown);
    const bool released = report.after.quarantined.size() < before_.quarantined.size();
    if (released && report.outcome.answer == Answer::kOk) coverage_.count(Landmark::kQuarantineReleased);
  }
}

void LandmarkFinder::note_access(const StepReport& report) {
  const Operation& operation = report.operation;
  if (operation.kind == OperationKind::kEndRun || operation.kind == OperationKind::kCloseViews) {
    slots_viewed_[operation.run].clear();
  }
  if (operation.kind == OperationKind::kRegister && report.outcome.answer == Answer::kOk) {
    coverage_.count(Landmark::kRegisteredByHand);
  }
  if (operation.kind != OperationKind::kRead && operation.kind != OperationKind::kWrite) return;
  if (operation.run >= kRuns || !report.after.runs[operation.run] || !before_.runs[operation.run]) return;
  if (report.outcome.answer == Answer::kNoRegion && operation.size > 0) coverage_.count(Landmark::kStraddlingSpan);
  const svmrt::AccessStats& now = report.after.runs[operation.run]->accesses;
  const svmrt::AccessStats& then = before_.runs[operation.run]->accesses;
  if (now.device_copies > then.device_copies) coverage_.count(Landmark::kDeviceCopy);
  if (now.staged_writes > then.staged_writes) coverage_.count(Landmark::kStagedWrite);
  if (now.view_loads + now.view_stores == then.view_loads + then.view_stores) return;
  coverage_.count(Landmark::kViewAccess);
  if (operation.offset != 0) coverage_.count(Landmark::kInteriorView);
  slots_viewed_[operation.run].insert(operation.slot);
  for (std::uint8_t other = 0; other < kRuns; ++other) {
    if (other == operation.run || slots_viewed_[other].empty()) continue;
    coverage_.count(Landmark::kOverlappingRuns);
    if (slots_viewed_[other].count(operation.slot) > 0) coverage_.count(Landmark::kSharedView);
  }
}

void LandmarkFinder::note_runner(const StepReport& report) {
  if (report.outcome.answer != Answer::kOk) return;
  switch (report.operation.kind) {
    case OperationKind::kFinalize:
      if (before_.held.count > before_.quarantined.size()) coverage_.count(Landmark::kFinalizedWithMappings);
      if (!report.after.quarantined.empty()) coverage_.count(Landmark::kFinalizedQuarantined);
      break;
    case OperationKind::kRestart:
      coverage_.count(Landmark::kRestarted);
      break;
    case OperationKind::kLoseDevice:
      coverage_.count(Landmark::kDeviceLost);
      for (const auto& run : before_.runs) {
        if (run) coverage_.count(Landmark::kDeviceLostInRun);
      }
      break;
    case OperationKind::kFork:
      coverage_.count(Landmark::kForked);
      break;
    case OperationKind::kRace:
      coverage_.count(Landmark::kRaced);
      break;
    default:
      break;
  }
}

}  // namespace svmsim
