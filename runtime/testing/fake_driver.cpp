// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/fake_driver.h"

#include <algorithm>
#include <cstring>

#include "runtime/sync.h"

namespace svmrt::testing {

namespace {

constexpr std::uint64_t kFarAway = std::uint64_t{1} << 60;  // no host pointer has this bit

const char* name_of(CallKind kind) {
  switch (kind) {
    case CallKind::kAllocate:
      return "allocate";
    case CallKind::kFree:
      return "free";
    case CallKind::kRegister:
      return "register";
    case CallKind::kUnregister:
      return "unregister";
    case CallKind::kCopyToDevice:
      return "copy_to";
    case CallKind::kCopyFromDevice:
      return "copy_from";
    case CallKind::kSet:
      return "set";
  }
  return "unknown";
}

Bytes whole_pages(Bytes size) {
  const std::uint64_t page = FakeDriver::kPage.count();
  return Bytes((size.count() + page - 1) / page * page);
}

bool overlap(DeviceAddr a, Bytes a_size, DeviceAddr b, Bytes b_size) { return a < b + b_size && b < a + a_size; }

}  // namespace

FakeDriver::FakeDriver(MappingPlace place, Capabilities capabilities)
    : capabilities_(capabilities), arena_(new std::byte[(kArena + kPage).count()]()) {
  const auto start = reinterpret_cast<std::uintptr_t>(arena_.get());
  const std::uint64_t aligned = whole_pages(Bytes(start)).count();
  first_page_ = arena_.get() + (aligned - start);
  base_ = DeviceAddr(place == MappingPlace::kIdentity ? aligned : aligned + kFarAway);
  now_[kRunnerTimeline] = Picoseconds(0);
}

DriverCode FakeDriver::begin(CallKind kind, TimelineId timeline) {
  const bool lock_held = this_thread_holds_lock();
  if (before_call) before_call(kind);
  const std::lock_guard lock(mutex_);
  if (lock_held) ++calls_with_lock_held_;
  Script& script = scripts_[static_cast<std::size_t>(kind)];
  now_[timeline] += script.cost;
  const auto scripted = script.by_index.find(script.calls++);
  return scripted != script.by_index.end() ? scripted->second : script.always;
}

void FakeDriver::record(CallKind kind, TimelineId timeline, DeviceAddr address, Bytes bytes, DriverCode code) {
  calls_.push_back({kind, timeline, address, bytes, code});
}

bool FakeDriver::inside_block(DeviceAddr start, Bytes size) const {
  auto above = blocks_.upper_bound(start);
  if (size == Bytes(0) || above == blocks_.begin()) return false;
  const auto& [base, block_size] = *std::prev(above);
  return span_inside(start, size, base, block_size);
}

AllocateResult FakeDriver::allocate(TimelineId timeline, Bytes size) {
  DriverCode code = begin(CallKind::kAllocate, timeline);
  const std::lock_guard lock(mutex_);
  if (code == DriverCode::kNone && handed_out_.has_value()) {
    record(CallKind::kAllocate, timeline, *handed_out_, size, code);
    return {code, *handed_out_};
  }
  DeviceAddr address = base_;
  if (code == DriverCode::kNone && size == Bytes(0)) code = DriverCode::kInvalidValue;
  if (code == DriverCode::kNone) {
    for (const auto& [base, block_size] : blocks_) {
      if (base - address >= whole_pages(size)) break;
      address = base + whole_pages(block_size);
    }
    if (size > kArena || !span_inside(address, whole_pages(size), base_, kArena)) code = DriverCode::kOutOfMemory;
  }
  if (code == DriverCode::kNone) {
    blocks_[address] = size;
  } else {
    address = DeviceAddr{};
  }
  record(CallKind::kAllocate, timeline, address, size, code);
  return {code, address};
}

DriverCode FakeDriver::free(TimelineId timeline, DeviceAddr base) {
  DriverCode code = begin(CallKind::kFree, timeline);
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(base);
  if (code == DriverCode::kNone && block == blocks_.end()) code = DriverCode::kInvalidValue;
  if (code == DriverCode::kNone) {
    const bool mapped = std::any_of(mappings_.begin(), mappings_.end(), [&](const auto& mapping) {
      return overlap(mapping.first, mapping.second, base, block->second);
    });
    if (mapped) code = DriverCode::kBusy;
  }
  if (code == DriverCode::kNone) blocks_.erase(block);
  record(CallKind::kFree, timeline, base, Bytes(0), code);
  return code;
}

RegisterResult FakeDriver::register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) {
  DriverCode code = begin(CallKind::kRegister, timeline);
  const std::lock_guard lock(mutex_);
  if (code == DriverCode::kNone && !inside_block(base, size)) code = DriverCode::kInvalidValue;
  if (code == DriverCode::kNone) {
    const bool taken = std::any_of(mappings_.begin(), mappings_.end(), [&](const auto& mapping) {
      return overlap(mapping.first, mapping.second, base, size);
    });
    if (taken) code = DriverCode::kParaError;
  }
  record(CallKind::kRegister, timeline, base, size, code);
  if (code != DriverCode::kNone) return {code, nullptr};
  mappings_[base] = size;
  return {code, null_views_ ? nullptr : bytes_at(base)};
}

DriverCode FakeDriver::unregister_from_host(TimelineId timeline, DeviceAddr base) {
  DriverCode code = begin(CallKind::kUnregister, timeline);
  const std::lock_guard lock(mutex_);
  if (code == DriverCode::kNone && mappings_.erase(base) == 0) code = DriverCode::kNotExist;
  record(CallKind::kUnregister, timeline, base, Bytes(0), code);
  return code;
}

DriverCode FakeDriver::copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) {
  DriverCode code = begin(CallKind::kCopyToDevice, timeline);
  const std::lock_guard lock(mutex_);
  if (code == DriverCode::kNone && !inside_block(to, size)) code = DriverCode::kInvalidValue;
  if (code == DriverCode::kNone) std::memcpy(bytes_at(to), from, size.count());
  record(CallKind::kCopyToDevice, timeline, to, size, code);
  return code;
}

DriverCode FakeDriver::copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) {
  DriverCode code = begin(CallKind::kCopyFromDevice, timeline);
  const std::lock_guard lock(mutex_);
  if (code != DriverCode::kNone) std::memset(to, 0xEE, size.count());
  if (code == DriverCode::kNone && !inside_block(from, size)) code = DriverCode::kInvalidValue;
  if (code == DriverCode::kNone) std::memcpy(to, bytes_at(from), size.count());
  record(CallKind::kCopyFromDevice, timeline, from, size, code);
  return code;
}

DriverCode FakeDriver::set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) {
  DriverCode code = begin(CallKind::kSet, timeline);
  const std::lock_guard lock(mutex_);
  if (code == DriverCode::kNone && !inside_block(to, size)) code = DriverCode::kInvalidValue;
  if (code == DriverCode::kNone) std::memset(bytes_at(to), value, size.count());
  record(CallKind::kSet, timeline, to, size, code);
  return code;
}

TimelineId FakeDriver::open_timeline() {
  const std::lock_guard lock(mutex_);
  const TimelineId timeline{++last_timeline_};
  now_[timeline] = now_[kRunnerTimeline];
  return timeline;
}

void FakeDriver::close_timeline(TimelineId timeline) {
  const std::lock_guard lock(mutex_);
  now_[kRunnerTimeline] = std::max(now_[kRunnerTimeline], now_[timeline]);
  now_.erase(timeline);
}

Picoseconds FakeDriver::now_ps(TimelineId timeline) const {
  const std::lock_guard lock(mutex_);
  return now_.at(timeline);
}

void FakeDriver::charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) {
  const std::lock_guard lock(mutex_);
  loads_ += loads;
  stores_ += stores;
  charged_timelines_.push_back(timeline);
}

void FakeDriver::fail(CallKind kind, std::uint64_t index, DriverCode code) {
  scripts_[static_cast<std::size_t>(kind)].by_index[index] = code;
}

void FakeDriver::fail_next(CallKind kind, DriverCode code) {
  fail(kind, scripts_[static_cast<std::size_t>(kind)].calls, code);
}

void FakeDriver::fail_always(CallKind kind, DriverCode code) { scripts_[static_cast<std::size_t>(kind)].always = code; }

void FakeDriver::stop_failing(CallKind kind) {
  Script& script = scripts_[static_cast<std::size_t>(kind)];
  script.by_index.clear();
  script.always = DriverCode::kNone;
}

void FakeDriver::set_cost(CallKind kind, Picoseconds cost) { scripts_[static_cast<std::size_t>(kind)].cost = cost; }

std::vector<FakeCall> FakeDriver::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::uint64_t FakeDriver::count(CallKind kind) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint64_t>(
      std::count_if(calls_.begin(), calls_.end(), [kind](const FakeCall& call) { return call.kind == kind; }));
}

std::string FakeDriver::sequence() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const FakeCall& call : calls_) {
    if (!text.empty()) text += ' ';
    text += name_of(call.kind);
  }
  return text;
}

std::uint64_t FakeDriver::calls_with_lock_held() const {
  const std::lock_guard lock(mutex_);
  return calls_with_lock_held_;
}

std::uint64_t FakeDriver::live_blocks() const {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

std::map<DeviceAddr, Bytes> FakeDriver::mappings() const {
  const std::lock_guard lock(mutex_);
  return mappings_;
}

std::uint64_t FakeDriver::open_timelines() const {
  const std::lock_guard lock(mutex_);
  return now_.size() - 1;
}

std::uint64_t FakeDriver::charged_loads() const {
  const std::lock_guard lock(mutex_);
  return loads_;
}

std::uint64_t FakeDriver::charged_stores() const {
  const std::lock_guard lock(mutex_);
  return stores_;
}

std::uint64_t FakeDriver::charge_calls() const {
  const std::lock_guard lock(mutex_);
  return charged_timelines_.size();
}

std::vector<TimelineId> FakeDriver::charged_timelines() const {
  const std::lock_guard lock(mutex_);
  return charged_timelines_;
}

std::byte* FakeDriver::bytes_at(DeviceAddr address) const { return first_page_ + (address - base_).count(); }

}  // namespace svmrt::testing
