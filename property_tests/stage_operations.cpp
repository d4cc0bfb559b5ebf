// SPDX-License-Identifier: Apache-2.0
// What a program does with a runner, operation by operation; what strangers, processes and threads do is in
// stage_events.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "property_tests/stage.h"

namespace svmsim {

namespace {

Answer answer_of(svmrt::ErrorCode code) {
  switch (code) {
    case svmrt::ErrorCode::kInvalidArgument:
      return Answer::kInvalidArgument;
    case svmrt::ErrorCode::kUnknownAddress:
      return Answer::kUnknownAddress;
    case svmrt::ErrorCode::kInteriorAddress:
      return Answer::kInteriorAddress;
    case svmrt::ErrorCode::kInUse:
      return Answer::kInUse;
    case svmrt::ErrorCode::kUnregisterFailed:
      return Answer::kUnregisterFailed;
    case svmrt::ErrorCode::kDeviceLost:
      return Answer::kDeviceLost;
    case svmrt::ErrorCode::kFinalized:
      return Answer::kFinalized;
    case svmrt::ErrorCode::kDriver:
    case svmrt::ErrorCode::kOutOfBounds:
    case svmrt::ErrorCode::kOrchestration:
    case svmrt::ErrorCode::kDeferred:
    case svmrt::ErrorCode::kLoad:
      break;
  }
  return Answer::kDriver;
}

Answer answer_of(svmrt::AccessStatus status) {
  switch (status) {
    case svmrt::AccessStatus::kOk:
      return Answer::kOk;
    case svmrt::AccessStatus::kNoRegion:
      return Answer::kNoRegion;
    case svmrt::AccessStatus::kOutputOnly:
      return Answer::kOutputOnly;
    case svmrt::AccessStatus::kNoData:
      return Answer::kNoData;
    case svmrt::AccessStatus::kBadSpan:
      return Answer::kBadSpan;
    case svmrt::AccessStatus::kCopyFailed:
      return Answer::kCopyFailed;
    case svmrt::AccessStatus::kDeferred:  // no scenario declares what a run produces
    case svmrt::AccessStatus::kUnavailable:
      break;
  }
  return Answer::kUnavailable;
}

Outcome answer(Answer what) { return {what, 0, {}}; }

Outcome refusal(const svmrt::Error& error) {
  return {answer_of(error.code), svmrt::code_number(error.driver_code), {}};
}

Outcome copy_answer(std::int32_t code) {
  if (code == 0) return answer(Answer::kOk);
  return code == svmrt::kRefusedByRunner ? answer(Answer::kRefused) : Outcome{Answer::kDriver, code, {}};
}

constexpr std::uint8_t kUntouched = 0xee;

// What came back; after a failure only if the destination, which must stay as it was, did not.
Outcome with_bytes(Outcome outcome, std::vector<std::uint8_t> destination) {
  const bool untouched =
      std::all_of(destination.begin(), destination.end(), [](std::uint8_t byte) { return byte == kUntouched; });
  if (outcome.answer == Answer::kOk || !untouched) outcome.bytes = std::move(destination);
  return outcome;
}

Oracle::AccessOutcome told(const svmrt::AccessResult& result) {
  return result.ok() ? Oracle::AccessOutcome::kSucceeded : Oracle::AccessOutcome::kFailed;
}

}  // namespace

Stage::Performed Stage::allocate(const Operation& operation) {
  Performed done;
  const Bytes size(operation.size);
  svmrt::Result<DeviceAddr> allocated;
  if (operation.run == kRunner) {
    allocated = runner_->device_malloc(size);
  } else {
    const svmrt::RunContext& context = *run(operation.run).context;
    allocated = DeviceAddr(context.api().device_malloc(context.api().context, operation.size));
    if (allocated->is_null()) allocated = tl::unexpected(context.last_failure());
  }
  if (!allocated) {
    done.outcome = refusal(allocated.error());
    return done;
  }
  slots_[operation.slot] = {true, true, *allocated, size};
  done.outcome = answer(Answer::kOk);
  done.facts.address = *allocated;
  done.facts.arrived_mapped = any_mapped(*allocated, size);
  oracle_.name_child_memory(*allocated, size, fmt::format("slot {}", operation.slot));
  return done;
}

Outcome Stage::free(const Operation& operation) {
  const DeviceAddr base = address(operation);
  Outcome outcome = answer(Answer::kOk);
  if (operation.run == kRunner) {
    if (const auto freed = runner_->free_tensor(base); !freed) outcome = refusal(freed.error());
  } else {
    const svmrt::RunContext& context = *run(operation.run).context;
    const std::int32_t code = context.api().device_free(context.api().context, base.value());
    if (code != 0) outcome = refusal(context.last_failure());
  }
  if (outcome.answer == Answer::kOk) slots_[operation.slot].live = false;
  return outcome;
}

Outcome Stage::open_run(const Operation& operation) {
  auto opened = runner_->open_run();
  if (!opened) return refusal(opened.error());
  auto& slot = runs_[operation.run];
  slot = std::make_unique<Run>(std::move(*opened));
  slot->began = machine_.now(slot->context->timeline());
  oracle_.run_began(slot->context->timeline());
  return answer(Answer::kOk);
}

Outcome Stage::claim(const Operation& operation) {
  Run& claiming = run(operation.run);
  const DeviceAddr base = address(operation);
  const Bytes size(operation.size);
  bool claimed = false;
  switch (operation.region) {
    case RegionKind::kChildMemory:
      oracle_.claimed(claiming.context->timeline(), base, size);
      claimed = claiming.access->claim_child_memory(base, size);
      if (claimed && policy_ == svmrt::Policy::kRegisterAll) claiming.access->resolve_all();
      break;
    case RegionKind::kStaged: {
      const std::byte* const device = machine_.device_bytes(base, size);
      claiming.staged.push_back(std::make_unique<std::vector<std::byte>>(device, device + operation.size));
      claimed = claiming.access->add_staged(base, claiming.staged.back()->data(), size);
      break;
    }
    case RegionKind::kOutputOnly:
      claimed = claiming.access->add_output_only(base, size);
      break;
    case RegionKind::kWithoutData:
      claimed = claiming.access->add_without_data(base, size);
      break;
  }
  return answer(claimed ? Answer::kOk : Answer::kInvalidArgument);
}

Outcome Stage::read(const Operation& operation, bool tell_oracle) {
  Run& reading = run(operation.run);
  const DeviceAddr from = address(operation);
  const Bytes size(operation.size);
  const TimelineId timeline = reading.context->timeline();
  std::vector<std::uint8_t> to(operation.size, kUntouched);
  if (tell_oracle) oracle_.access_begins(timeline, from, size);
  const svmrt::AccessResult result = reading.access->read(from, to.data(), size);
  if (tell_oracle) oracle_.access_ended({timeline, from, size, false, to.data()}, told(result));
  return with_bytes({answer_of(result.status), result.driver_code, {}}, std::move(to));
}

Outcome Stage::write(const Operation& operation, bool tell_oracle) {
  Run& writing = run(operation.run);
  const DeviceAddr to = address(operation);
  const Bytes size(operation.size);
  const TimelineId timeline = writing.context->timeline();
  const std::vector<std::uint8_t> bytes = bytes_of(operation);
  if (tell_oracle) oracle_.access_begins(timeline, to, size);
  const svmrt::AccessResult result = writing.access->write(to, bytes.data(), size);
  if (tell_oracle) oracle_.access_ended({timeline, to, size, true, bytes.data()}, told(result));
  return {answer_of(result.status), result.driver_code, {}};
}

Outcome Stage::close_views(Run& closing) {
  closing.access->close();
  closing.context->close_host_views();
  if (!closing.bind_ended) {
    closing.bind_ended = true;
    const TimelineId timeline = closing.context->timeline();
    oracle_.bind_ended(timeline, closing.access->stats().device_copies, machine_.now(timeline) - closing.began);
  }
  return answer(Answer::kOk);
}

// Without close_views the destructors do the closing.
Outcome Stage::end_run(std::uint8_t number) {
  runs_[number].reset();
  return answer(Answer::kOk);
}

Outcome Stage::register_by_hand(const Operation& operation) {
  const svmrt::RunContext& context = *run(operation.run).context;
  const DeviceAddr base = address(operation);
  oracle_.asked_to_register(context.timeline(), base);
  const void* const view =
      context.api().register_device_memory_to_host(context.api().context, base.value(), operation.size);
  return answer(view != nullptr ? Answer::kOk : Answer::kNoView);
}

Outcome Stage::unregister_by_hand(const Operation& operation) {
  const svmrt::HostApi& api = run(operation.run).context->api();
  return copy_answer(api.unregister_device_memory_from_host(api.context, address(operation).value()));
}

Outcome Stage::copy(const Operation& operation) {
  const svmrt::HostApi& api = run(operation.run).context->api();
  const std::uint64_t device = address(operation).value();
  switch (operation.kind) {
    case OperationKind::kUpload:
      return copy_answer(api.copy_to_device(api.context, device, bytes_of(operation).data(), operation.size));
    case OperationKind::kSetMemory:
      return copy_answer(
          api.device_memset(api.context, device, static_cast<std::int32_t>(operation.value & 0xff), operation.size));
    default:
      break;
  }
  std::vector<std::uint8_t> to(operation.size, kUntouched);
  Outcome outcome = copy_answer(api.copy_from_device(api.context, to.data(), device, operation.size));
  if (outcome.answer == Answer::kOk) outcome.bytes = std::move(to);
  return outcome;
}

Outcome Stage::device_write(const Operation& operation) {
  const std::vector<std::uint8_t> bytes = bytes_of(operation);
  std::byte* const to = machine_.device_bytes(address(operation), Bytes(operation.size));
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  return answer(Answer::kOk);
}

void Stage::forget_freed_slots() {
  const auto blocks = runner_->quarantined();
  for (Slot& slot : slots_) {
    slot.live = slot.live && std::any_of(blocks.begin(), blocks.end(),
                                         [&](const svmrt::QuarantinedBlock& block) { return block.base == slot.base; });
  }
}

Outcome Stage::finalize() {
  const auto report = runner_->finalize();
  if (!report) return refusal(report.error());
  finalized_ = true;
  forget_freed_slots();
  oracle_.finalized(report->quarantined, runner_->failures());
  return answer(Answer::kOk);
}

// What the old runner left in quarantine stays with the machine; no slot names it any more.
Outcome Stage::restart() {
  if (!finalized_ && !lost_) static_cast<void>(finalize());
  for (Slot& slot : slots_) slot.live = false;
  runner_.reset();
  start_runner();
  return answer(Answer::kOk);
}

}  // namespace svmsim
