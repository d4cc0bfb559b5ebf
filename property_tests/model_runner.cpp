// SPDX-License-Identifier: Apache-2.0
// Blocks from allocate to free, runs from open to end, and what is told of them.
#include "property_tests/model_runner.h"

#include <algorithm>
#include <utility>

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

namespace {

Outcome driver_failure(Answer answer, DriverCode code) { return {answer, svmrt::code_number(code), {}}; }

}  // namespace

const ModelBlock* ModelRunner::find(std::uint64_t id) const {
  for (const auto& [base, block] : blocks_) {
    if (block.id == id && !block.orphan) return &block;
  }
  return nullptr;
}

ModelBlock* ModelRunner::find(std::uint64_t id) {
  const ModelBlock* found = std::as_const(*this).find(id);
  return found == nullptr ? nullptr : &blocks_.at(found->base);
}

const ModelBlock* ModelRunner::owner_of(DeviceAddr address) const {
  for (const auto& [base, block] : blocks_) {
    if (!block.orphan && svmrt::span_inside(address, Bytes(1), base, block.size)) return &block;
  }
  return nullptr;
}

ModelBlock* ModelRunner::owner_of(DeviceAddr address) {
  const ModelBlock* found = std::as_const(*this).owner_of(address);
  return found == nullptr ? nullptr : &blocks_.at(found->base);
}

Answer ModelRunner::refusal() const {
  if (lost_) return Answer::kDeviceLost;
  return finalized_ ? Answer::kFinalized : Answer::kOk;
}

bool ModelRunner::overlaps_any(DeviceAddr base, Bytes size) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& entry) {
    const ModelBlock& block = entry.second;
    return base < block.base + block.size && block.base < base + size;
  });
}

Outcome ModelRunner::allocate(ModelRun* run, Bytes size, const MachineFacts& facts, std::uint64_t& allocated) {
  if (size == Bytes(0)) return {Answer::kInvalidArgument, 0, {}};
  if (refusal() != Answer::kOk) return {refusal(), 0, {}};
  const DriverCode code = driver_.allocate(run != nullptr ? run->now : now_, size);
  if (code != DriverCode::kNone) {
    ++failures_.allocate;
    return driver_failure(Answer::kDriver, code);
  }
  // A machine that refuses what it should grant shows in its answer; there is no block to enter then.
  if (facts.address.is_null()) return {Answer::kOk, 0, {}};
  if (overlaps_any(facts.address, size)) return {Answer::kDriver, 0, {}};
  ModelBlock block{.id = ++last_id_, .base = facts.address, .size = size};
  if (facts.arrived_mapped) block.stranger = ModelBlock::Stranger::kArrived;
  blocks_.emplace(facts.address, std::move(block));
  allocated = last_id_;
  return {Answer::kOk, 0, {}};
}

Outcome ModelRunner::free(ModelRun* run, DeviceAddr address) {
  if (refusal() != Answer::kOk) return {refusal(), 0, {}};
  ModelBlock* const block = owner_of(address);
  if (block == nullptr) return {Answer::kUnknownAddress, 0, {}};
  if (block->base != address) return {Answer::kInteriorAddress, 0, {}};
  if (users_of(*block) > 0) return {Answer::kInUse, 0, {}};
  Picoseconds& now = run != nullptr ? run->now : now_;
  if (block->mapped) {
    const DriverCode code = unmap(now, *block, run != nullptr ? &run->mappings : nullptr);
    if (code != DriverCode::kNone) return driver_failure(Answer::kUnregisterFailed, code);
  }
  const DriverCode code = free_block(now, *block);
  return code == DriverCode::kNone ? Outcome{Answer::kOk, 0, {}} : driver_failure(Answer::kDriver, code);
}

DriverCode ModelRunner::free_block(Picoseconds& now, ModelBlock& block) {
  const DriverCode code = driver_.free(now, block);
  if (code == DriverCode::kNone) {
    blocks_.erase(block.base);
  } else {
    ++failures_.free;
    block.free_failed = true;
  }
  return code;
}

bool ModelRunner::any_open() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.has_value(); });
}

Answer ModelRunner::open_run(std::size_t number) {
  if (refusal() != Answer::kOk) return refusal();
  runs_.at(number).emplace().now = now_;
  return Answer::kOk;
}

void ModelRunner::close_views(ModelRun& run) {
  if (run.closed) return;
  run.closed = true;
  if (run.accesses.view_loads > 0 || run.accesses.view_stores > 0) {
    driver_.charge_view_accesses(run.now, run.accesses.view_loads, run.accesses.view_stores);
  }
  run.regions.clear();
  std::vector<DeviceAddr> held;
  for (const ModelHold& known : run.holds) {
    if (known.acquired || known.registered) held.push_back(known.base);
  }
  run.holds.clear();
  std::sort(held.begin(), held.end());
  for (const DeviceAddr base : held) end_use(run, base);
}

void ModelRunner::end_run(std::size_t number) {
  close_views(run(number));
  now_ = std::max(now_, run(number).now);
  runs_.at(number).reset();
}

DriverCode ModelRunner::counted_copy(DriverCode code) {
  if (code != DriverCode::kNone) ++failures_.copy;
  return code;
}

DriverCode ModelRunner::copy_to_device(ModelRun& run, ModelBlock& block, DeviceAddr address,
                                       const std::vector<std::uint8_t>& bytes) {
  const DriverCode code = counted_copy(driver_.copy_to_device(run.now, Bytes(bytes.size())));
  if (code == DriverCode::kNone) model_store(block.bytes, (address - block.base).count(), bytes);
  return code;
}

DriverCode ModelRunner::copy_from_device(ModelRun& run, Bytes size) {
  return counted_copy(driver_.copy_from_device(run.now, size));
}

DriverCode ModelRunner::set_memory(ModelRun& run, ModelBlock& block, DeviceAddr address, std::uint8_t value,
                                   Bytes size) {
  const DriverCode code = counted_copy(driver_.set_memory(run.now, size));
  if (code != DriverCode::kNone) return code;
  model_store(block.bytes, (address - block.base).count(), std::vector<std::uint8_t>(size.count(), value));
  return code;
}

Answer ModelRunner::finalize() {
  if (lost_) return Answer::kDeviceLost;
  if (any_open()) return Answer::kInUse;
  finalized_ = true;
  for (auto& [base, block] : blocks_) {
    if (block.mapped && !block.orphan) unmap(now_, block, nullptr);
  }
  for (auto next = blocks_.begin(); next != blocks_.end();) {
    ModelBlock& block = (next++)->second;
    if (!block.mapped && !block.orphan) free_block(now_, block);
  }
  return Answer::kOk;
}

void ModelRunner::destroy() {
  for (std::size_t number = 0; number < kRuns; ++number) {
    if (is_open(number)) end_run(number);
  }
  if (!finalized_) static_cast<void>(finalize());  // a lost device refuses
}

void ModelRunner::restart() {
  destroy();
  for (auto& [base, block] : blocks_) block.orphan = true;
  finalized_ = false;
  lost_ = false;
  totals_ = {};
  failures_ = {};
}

void ModelRunner::lose_device() {
  lost_ = true;
  blocks_.clear();
  driver_.close(now_);
}

svmrt::HeldMappings ModelRunner::held() const {
  svmrt::HeldMappings held;
  for (const auto& [base, block] : blocks_) {
    if (!block.mapped || block.orphan) continue;
    ++held.count;
    held.bytes += block.size;
  }
  return held;
}

Snapshot ModelRunner::snapshot() const {
  Snapshot snapshot;
  for (const auto& [base, block] : blocks_) {
    if (block.mapped) snapshot.mapped.push_back({base, driver_.whole_pages(block.size)});
    if (block.orphan) continue;
    ++snapshot.live_blocks;
    if (block.quarantined || block.free_failed) snapshot.quarantined.push_back({base, block.size});
  }
  snapshot.held = held();
  snapshot.totals = totals_;
  snapshot.failures = failures_;
  snapshot.runner_now = now_;
  for (std::size_t i = 0; i < kRuns; ++i) {
    if (runs_[i]) snapshot.runs[i] = {runs_[i]->now, runs_[i]->accesses, runs_[i]->mappings};
  }
  return snapshot;
}

void model_store(ModelBytes& bytes, std::uint64_t offset, const std::vector<std::uint8_t>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) bytes[offset + i] = from[i];
}

Model::Expected model_load(const ModelBytes& bytes, std::uint64_t offset, std::uint64_t size) {
  Model::Expected loaded;
  loaded.outcome.answer = Answer::kOk;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto found = bytes.find(offset + i);
    loaded.known.push_back(found != bytes.end());
    loaded.outcome.bytes.push_back(found != bytes.end() ? found->second : std::uint8_t{0});
  }
  return loaded;
}

}  // namespace svmsim
