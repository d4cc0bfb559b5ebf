// SPDX-License-Identifier: Apache-2.0
#include "property_tests/model.h"

#include "property_tests/model_access.h"
#include "property_tests/model_state.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

namespace {

Outcome of(Answer answer) { return {answer, 0, {}}; }
Outcome of_copy(DriverCode code) {
  return {code == DriverCode::kNone ? Answer::kOk : Answer::kDriver, svmrt::code_number(code), {}};
}

}  // namespace

Outcome Model::State::allocate(const Operation& operation, const MachineFacts& facts) {
  std::uint64_t allocated = 0;
  Outcome outcome = runner.allocate(caller(operation.run), Bytes(operation.size), facts, allocated);
  if (allocated != 0) slots.at(operation.slot) = {facts.address, allocated};
  return outcome;
}

Outcome Model::State::claim(const Operation& operation) {
  ModelRun& run = runner.run(operation.run);
  const DeviceAddr address = address_of(operation);
  std::uint64_t block = 0;
  ModelBytes host;
  if (operation.region == RegionKind::kStaged) {
    const ModelBlock& around = *block_around(operation);
    block = around.id;
    const std::uint64_t from = (address - around.base).count();
    for (const auto& [offset, byte] : around.bytes) {
      if (offset >= from && offset - from < operation.size) host[offset - from] = byte;
    }
  }
  if (!run.claim(address, Bytes(operation.size), operation.region, block, std::move(host))) {
    return of(Answer::kInvalidArgument);
  }
  if (policy == svmrt::Policy::kRegisterAll && operation.region == RegionKind::kChildMemory) {
    model_resolve(runner, run, run.regions.back());
  }
  return of(Answer::kOk);
}

Model::Expected Model::State::download(const Operation& operation) {
  if (operation.size == 0) return {of(Answer::kOk), {}};
  const DriverCode code = runner.copy_from_device(runner.run(operation.run), Bytes(operation.size));
  if (code != DriverCode::kNone) return {of_copy(code), {}};
  return model_load(block_of(operation.slot)->bytes, operation.offset, operation.size);
}

void Model::State::device_write(const Operation& operation) {
  const DeviceAddr address = address_of(operation);
  ModelBlock& block = *runner.owner_of(address);
  model_store(block.bytes, (address - block.base).count(), bytes_of(operation));
}

Outcome Model::State::race(const Operation& operation) {
  const auto acquire = [&](std::uint8_t run) {
    return runner.acquire(runner.run(run), address_of(operation), Bytes(operation.size), ModelUse::kAcquired);
  };
  const Answer first = acquire(operation.run);
  const Answer second = acquire(operation.other);
  return {first, first == second ? 0 : 1, {}};
}

Model::Expected Model::State::apply(const Operation& operation, const MachineFacts& facts) {
  const Bytes size(operation.size);
  switch (operation.kind) {
    case OperationKind::kAllocate:
      return {allocate(operation, facts), {}};
    case OperationKind::kFree:
      return {runner.free(caller(operation.run), address_of(operation)), {}};
    case OperationKind::kOpenRun:
      return {of(runner.open_run(operation.run)), {}};
    case OperationKind::kClaim:
      return {claim(operation), {}};
    case OperationKind::kRead:
      return model_read(runner, runner.run(operation.run), address_of(operation), size);
    case OperationKind::kWrite:
      return {model_write(runner, runner.run(operation.run), address_of(operation), bytes_of(operation)), {}};
    case OperationKind::kCloseViews:
      runner.close_views(runner.run(operation.run));
      return {of(Answer::kOk), {}};
    case OperationKind::kEndRun:
      runner.end_run(operation.run);
      return {of(Answer::kOk), {}};
    case OperationKind::kRegister:
      return {of(runner.register_by_hand(runner.run(operation.run), address_of(operation), size)), {}};
    case OperationKind::kUnregister:
      return {runner.unregister(runner.run(operation.run), address_of(operation)), {}};
    case OperationKind::kUpload:
      if (operation.size == 0) return {of(Answer::kOk), {}};
      return {of_copy(runner.copy_to_device(runner.run(operation.run), *block_of(operation.slot), address_of(operation),
                                            bytes_of(operation))),
              {}};
    case OperationKind::kDownload:
      return download(operation);
    case OperationKind::kSetMemory:
      if (operation.size == 0) return {of(Answer::kOk), {}};
      return {of_copy(runner.set_memory(runner.run(operation.run), *block_of(operation.slot), address_of(operation),
                                        static_cast<std::uint8_t>(operation.value & 0xff), size)),
              {}};
    case OperationKind::kDeviceWrite:
      device_write(operation);
      return {of(Answer::kOk), {}};
    case OperationKind::kFailNext:
      runner.driver().fail_next(operation.call, operation.code);
      return {of(Answer::kOk), {}};
    case OperationKind::kStrangerLeaks:
      runner.stranger_calls(facts.stranger_time);
      return {of(Answer::kOk), {}};
    case OperationKind::kStrangerMaps:
    case OperationKind::kStrangerUnmaps:
      runner.stranger_calls(facts.stranger_time);
      block_of(operation.slot)->stranger =
          facts.stranger_mapped ? ModelBlock::Stranger::kMade : ModelBlock::Stranger::kNone;
      return {of(Answer::kOk), {}};
    case OperationKind::kFinalize:
      return {of(runner.finalize()), {}};
    case OperationKind::kRestart:
      runner.restart();
      return {of(Answer::kOk), {}};
    case OperationKind::kLoseDevice:
      runner.lose_device();
      return {of(Answer::kOk), {}};
    case OperationKind::kFork:
      return {of(Answer::kOk), {}};
    case OperationKind::kRace:
      return {race(operation), {}};
  }
  return {};
}

Model::Model(const ScenarioPlatform& platform, svmrt::Policy policy)
    : state_(std::make_unique<State>(platform, policy)) {}

Model::~Model() = default;

bool Model::applies(const Operation& operation) const { return state_->applies(operation); }

Model::Expected Model::apply(const Operation& operation, const MachineFacts& facts) {
  return state_->applies(operation) ? state_->apply(operation, facts) : Expected{};
}

void Model::tear_down() { state_->runner.destroy(); }

Snapshot Model::snapshot() const { return state_->runner.snapshot(); }

const ModelBytes& Model::memory(std::uint8_t slot) const {
  static const ModelBytes nothing;
  const ModelBlock* const block = std::as_const(*state_).block_of(slot);
  return block == nullptr ? nothing : block->bytes;
}

}  // namespace svmsim
