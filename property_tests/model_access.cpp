// SPDX-License-Identifier: Apache-2.0
#include "property_tests/model_access.h"

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;

namespace {

std::uint64_t words(Bytes size) { return (size.count() + 7) / 8; }

Outcome of(Answer answer) { return {answer, 0, {}}; }
Outcome copy_failure(DriverCode code) { return {Answer::kCopyFailed, svmrt::code_number(code), {}}; }

std::uint64_t offset_in(DeviceAddr address, DeviceAddr base) { return (address - base).count(); }

// The answer of an access that reaches no byte; kOk when it does.
Answer without_bytes(const ModelRun& run, std::optional<std::size_t> serving) {
  if (run.closed) return Answer::kUnavailable;
  if (!serving) return Answer::kNoRegion;
  switch (run.regions.at(*serving).kind) {
    case RegionKind::kOutputOnly:
      return Answer::kOutputOnly;
    case RegionKind::kWithoutData:
      return Answer::kNoData;
    case RegionKind::kChildMemory:
    case RegionKind::kStaged:
      break;
  }
  return Answer::kOk;
}

// The same for a region of child memory.
Answer without_means(const ModelRunner& runner, const ModelRegion& region) {
  if (region.means == ModelMeans::kBadSpan) return Answer::kBadSpan;
  const bool refused = region.means == ModelMeans::kUnavailable || runner.is_lost();
  return refused ? Answer::kUnavailable : Answer::kOk;
}

Outcome push(ModelRunner& runner, ModelRun& run, ModelRegion& region, DeviceAddr address,
             const std::vector<std::uint8_t>& bytes) {
  ModelBlock* const block = runner.find(region.block);
  if (runner.is_lost() || block == nullptr) return of(Answer::kUnavailable);
  const Picoseconds start = run.now;
  const DriverCode code = runner.copy_to_device(run, *block, address, bytes);
  run.accesses.push_time += run.now - start;
  if (code != DriverCode::kNone) return copy_failure(code);
  model_store(region.host, offset_in(address, region.base), bytes);
  ++run.accesses.staged_writes;
  return of(Answer::kOk);
}

}  // namespace

bool model_touches_freed(const ModelRunner& runner, const ModelRun& run, DeviceAddr address, Bytes size, bool writes) {
  const auto serving = run.serving(address, size);
  if (run.closed || !serving) return false;
  const ModelRegion& region = run.regions.at(*serving);
  if (region.block == 0 || runner.find(region.block) != nullptr) return false;
  if (region.means == ModelMeans::kView) return true;
  const bool copies = region.means == ModelMeans::kCopy || (region.kind == RegionKind::kStaged && writes);
  return copies && !runner.is_lost();  // after the loss the runner refuses the copy
}

void model_resolve(ModelRunner& runner, ModelRun& run, ModelRegion& region) {
  if (region.means != ModelMeans::kUnresolved) return;
  switch (runner.acquire(run, region.base, region.size, ModelUse::kAcquired)) {
    case Answer::kOk:
      region.means = ModelMeans::kView;
      ++run.accesses.regions_with_view;
      run.accesses.bytes_with_view += region.size;
      break;
    case Answer::kNoView:
      region.means = ModelMeans::kCopy;
      break;
    case Answer::kBadSpan:
      region.means = ModelMeans::kBadSpan;
      return;
    default:
      region.means = ModelMeans::kUnavailable;
      return;
  }
  region.block = runner.owner_of(region.base)->id;
}

Model::Expected model_read(ModelRunner& runner, ModelRun& run, DeviceAddr address, Bytes size) {
  const auto serving = run.serving(address, size);
  if (const Answer answer = without_bytes(run, serving); answer != Answer::kOk) return {of(answer), {}};
  ModelRegion& region = run.regions.at(*serving);
  if (region.kind == RegionKind::kStaged) {
    return model_load(region.host, offset_in(address, region.base), size.count());
  }
  ++run.accesses.accesses;
  model_resolve(runner, run, region);
  if (const Answer answer = without_means(runner, region); answer != Answer::kOk) return {of(answer), {}};
  if (region.means == ModelMeans::kView) {
    run.accesses.view_loads += words(size);
  } else {
    const Picoseconds start = run.now;
    const DriverCode code = runner.copy_from_device(run, size);
    run.accesses.copy_time += run.now - start;
    ++run.accesses.device_copies;
    if (code != DriverCode::kNone) return {copy_failure(code), {}};
  }
  const ModelBlock& block = *runner.find(region.block);
  return model_load(block.bytes, offset_in(address, block.base), size.count());
}

Outcome model_write(ModelRunner& runner, ModelRun& run, DeviceAddr address, const std::vector<std::uint8_t>& bytes) {
  const auto serving = run.serving(address, Bytes(bytes.size()));
  if (const Answer answer = without_bytes(run, serving); answer != Answer::kOk) return of(answer);
  ModelRegion& region = run.regions.at(*serving);
  if (region.kind == RegionKind::kStaged) return push(runner, run, region, address, bytes);
  ++run.accesses.accesses;
  model_resolve(runner, run, region);
  if (const Answer answer = without_means(runner, region); answer != Answer::kOk) return of(answer);
  ModelBlock& block = *runner.find(region.block);
  if (region.means == ModelMeans::kView) {
    run.accesses.view_stores += words(Bytes(bytes.size()));
    model_store(block.bytes, offset_in(address, block.base), bytes);
    return of(Answer::kOk);
  }
  const Picoseconds start = run.now;
  const DriverCode code = runner.copy_to_device(run, block, address, bytes);
  run.accesses.copy_time += run.now - start;
  ++run.accesses.device_copies;
  return code == DriverCode::kNone ? of(Answer::kOk) : copy_failure(code);
}

}  // namespace svmsim
