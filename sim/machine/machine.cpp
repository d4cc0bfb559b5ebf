// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace svmsim {

namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

tl::expected<std::unique_ptr<Machine>, std::string> Machine::create(const Platform& platform, const CostModel& cost,
                                                                    const MachineOptions& options) {
  const ViewAddress views = platform.non_identity ? ViewAddress::kElsewhere : ViewAddress::kIdentity;
  auto backing = make_slice_backing(options.backing, views, options.memory);
  if (!backing) return tl::unexpected(backing.error());
  // A block just above 512 MiB takes 1 GiB of address, hence twice the memory; four more for the partly used heaps.
  const Bytes needed(2 * platform.hbm.count() + (std::uint64_t{4} << 30));
  if ((*backing)->size() < needed) {
    return tl::unexpected(
        fmt::format("platform '{}' has {} bytes of HBM and needs {} bytes of device address space; a "
                    "machine of this build has {}",
                    platform.name, platform.hbm.count(), needed.count(), (*backing)->size().count()));
  }
  return std::unique_ptr<Machine>(new Machine(platform, cost, std::move(*backing), options));
}

Machine::TouchExplainer::TouchExplainer(SliceBacking& backing)
    : watched(backing, history), watch({backing.base(), backing.size(), address_of(backing.view_base())}, history) {}

Machine::Machine(const Platform& platform, const CostModel& cost, std::unique_ptr<SliceBacking> backing,
                 const MachineOptions& options)
    : platform_(platform), cost_(cost), host_memory_(*options.host_memory), backing_(std::move(backing)) {
  if (options.faults) faults_.emplace(*options.faults);
  Backing* driven = backing_.get();
  if (options.backing == BackingKind::kMmu) {
    explainer_ = std::make_unique<TouchExplainer>(*backing_);
    driven = &explainer_->watched;
  }
  hal_ = make_hal_driver(platform_, AddressLayout{backing_->base(), backing_->size()}, *driven);
}

Machine::~Machine() { hal_->device_close(); }

void Machine::record(const CallRecord& record) {
  trace_digest_.add((static_cast<std::uint64_t>(record.kind) << 32) | static_cast<std::uint64_t>(record.timeline));
  // Addresses below the slice (null, garbage) wrap to the same number wherever the slice lies only when they are
  // null, so anything else that is not device memory counts as one value.
  trace_digest_.add(is_device_address(record.address.value()) ? relative(record.address) : ~std::uint64_t{0});
  trace_digest_.add(record.size.count());
  trace_digest_.add(static_cast<std::uint64_t>(svmrt::code_number(record.code)));
  trace_digest_.add(record.begin.count());
  trace_digest_.add(record.cost.count());
  if (explainer_) explainer_->history.called(record);
  for (CallObserver* const observer : observers_) observer->on_call(record);
}

void Machine::record_driver_call(TimelineId timeline, CallKind kind, DeviceAddr address, std::uint64_t size,
                                 DriverCode code, Picoseconds cost) {
  const Picoseconds begin = timelines_.occupy_driver(timeline, cost);
  const DeviceAddr known = is_device_address(address.value()) ? address : DeviceAddr();
  record({records_++, kind, timeline, known, Bytes(size), code, begin, cost});
}

DriverCode Machine::injected(CallKind kind, DeviceAddr address) {
  if (!faults_) return DriverCode::kNone;
  return faults_->next_call(kind, is_device_address(address.value()) ? std::optional(relative(address)) : std::nullopt);
}

AllocOutcome Machine::mem_alloc(TimelineId timeline, std::uint64_t size, std::uint64_t flag) {
  return allocate(timeline, AclMallocPlan{size, flag, std::nullopt});
}

AllocOutcome Machine::allocate(TimelineId timeline, const AclMallocPlan& plan) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kAllocate, DeviceAddr());
  const AllocOutcome outcome = fault != DriverCode::kNone ? AllocOutcome{fault, {}} : acl_malloc(*hal_, plan);
  record_driver_call(timeline, CallKind::kAllocate, outcome.address, plan.size, outcome.code, cost_.allocate_cost());
  return outcome;
}

DriverCode Machine::mem_free(TimelineId timeline, DeviceAddr base) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kFree, base);
  const DriverCode code = fault != DriverCode::kNone ? fault : hal_->mem_free(base);
  if (code == DriverCode::kNone) dataless_device_.remove(base.value());
  record_driver_call(timeline, CallKind::kFree, base, 0, code, cost_.free_cost());
  return code;
}

RegisterOutcome Machine::host_register(TimelineId timeline, DeviceAddr source, std::uint64_t size, std::uint32_t flag,
                                       std::uint32_t device_id) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kRegister, source);
  RegisterOutcome outcome = fault != DriverCode::kNone ? RegisterOutcome{fault, nullptr, {}}
                                                       : hal_->host_register(source, size, flag, device_id);
  // Assumption: pinning host memory is the last step, so that a page that is not there undoes the rest (EFAULT).
  // A lenient platform takes any range, and an identity simulator looks at nothing.
  const bool pins = outcome.code == DriverCode::kNone && !is_device_address(source.value()) && !platform_.lenient &&
                    platform_.personality != Personality::kIdentity;
  if (pins && !host_memory_.exists(reinterpret_cast<const void*>(source.value()), Bytes(size))) {
    static_cast<void>(hal_->host_unregister_ex(source, device_id, flag));
    outcome = {DriverCode::kInvalidHandle, nullptr, {}};
  }
  const Picoseconds cost =
      outcome.code == DriverCode::kNone ? cost_.register_cost(outcome.walk) : cost_.failed_register_cost();
  record_driver_call(timeline, CallKind::kRegister, source, size, outcome.code, cost);
  return outcome;
}

UnregisterOutcome Machine::host_unregister(TimelineId timeline, DeviceAddr source, std::uint32_t device_id) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kUnregister, source);
  const UnregisterOutcome outcome =
      fault != DriverCode::kNone ? UnregisterOutcome{fault, {}} : hal_->host_unregister(source, device_id);
  const Picoseconds cost =
      outcome.code == DriverCode::kNone ? cost_.unregister_cost(outcome.walk) : cost_.failed_unregister_cost();
  record_driver_call(timeline, CallKind::kUnregister, source, 0, outcome.code, cost);
  return outcome;
}

UnregisterOutcome Machine::host_unregister_ex(TimelineId timeline, DeviceAddr source, std::uint32_t device_id,
                                              std::uint32_t flag) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kUnregister, source);
  const UnregisterOutcome outcome =
      fault != DriverCode::kNone ? UnregisterOutcome{fault, {}} : hal_->host_unregister_ex(source, device_id, flag);
  const Picoseconds cost =
      outcome.code == DriverCode::kNone ? cost_.unregister_cost(outcome.walk) : cost_.failed_unregister_cost();
  record_driver_call(timeline, CallKind::kUnregister, source, 0, outcome.code, cost);
  return outcome;
}

DriverCode Machine::copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kCopyToDevice, to);
  DriverCode code = fault != DriverCode::kNone ? fault : hal_->check_copy(to, size);
  if (code == DriverCode::kNone) {
    if (dataless_host_.touches(address_of(from), size.count())) {
      dataless_device_.add(to.value(), size.count());
    } else if (!dataless_device_.touches(to.value(), size.count())) {
      if (!host_memory_.load(backing_->bytes_at(to), from, size)) code = DriverCode::kInvalidHandle;
    }
  }
  const Picoseconds cost = code == DriverCode::kNone ? cost_.copy_cost(CopyDirection::kToDevice, size)
                                                     : cost_.failed_copy_cost(CopyDirection::kToDevice);
  record_driver_call(timeline, CallKind::kCopyToDevice, to, size.count(), code, cost);
  return code;
}

DriverCode Machine::copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kCopyFromDevice, from);
  DriverCode code = fault != DriverCode::kNone ? fault : hal_->check_copy(from, size);
  const bool moves = code == DriverCode::kNone && !dataless_host_.touches(address_of(to), size.count()) &&
                     !dataless_device_.touches(from.value(), size.count());
  if (moves && !host_memory_.store(to, backing_->bytes_at(from), size)) code = DriverCode::kInvalidHandle;
  const Picoseconds cost = code == DriverCode::kNone ? cost_.copy_cost(CopyDirection::kFromDevice, size)
                                                     : cost_.failed_copy_cost(CopyDirection::kFromDevice);
  record_driver_call(timeline, CallKind::kCopyFromDevice, from, size.count(), code, cost);
  return code;
}

DriverCode Machine::set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) {
  const std::lock_guard lock(mutex_);
  const DriverCode fault = injected(CallKind::kSetMemory, to);
  const DriverCode code = fault != DriverCode::kNone ? fault : hal_->check_copy(to, size);
  if (code == DriverCode::kNone && !dataless_device_.touches(to.value(), size.count())) {
    std::memset(backing_->bytes_at(to), value, size.count());
  }
  const Picoseconds cost = code == DriverCode::kNone ? cost_.set_memory_cost(size) : cost_.failed_set_memory_cost();
  record_driver_call(timeline, CallKind::kSetMemory, to, size.count(), code, cost);
  return code;
}

DriverCode Machine::copy_on_device(TimelineId timeline, DeviceAddr to, DeviceAddr from, Bytes size) {
  const std::lock_guard lock(mutex_);
  DriverCode code = injected(CallKind::kCopyOnDevice, to);
  if (code == DriverCode::kNone) code = hal_->check_copy(from, size);
  if (code == DriverCode::kNone) code = hal_->check_copy(to, size);
  if (code == DriverCode::kNone && !dataless_device_.touches(to.value(), size.count())) {
    if (dataless_device_.touches(from.value(), size.count())) {
      dataless_device_.add(to.value(), size.count());
    } else {
      std::memmove(backing_->bytes_at(to), backing_->bytes_at(from), size.count());
    }
  }
  const Picoseconds cost = code == DriverCode::kNone ? cost_.copy_cost(CopyDirection::kFromDevice, size)
                                                     : cost_.failed_copy_cost(CopyDirection::kFromDevice);
  record_driver_call(timeline, CallKind::kCopyOnDevice, to, size.count(), code, cost);
  return code;
}

void Machine::device_close(TimelineId timeline) {
  const std::lock_guard lock(mutex_);
  hal_->device_close();
  dataless_device_.clear();
  record_driver_call(timeline, CallKind::kClose, DeviceAddr(), 0, DriverCode::kNone, Picoseconds(0));
}

DevicePointerOutcome Machine::host_get_device_pointer(std::uint64_t host, std::uint32_t device_id) const {
  const std::lock_guard lock(mutex_);
  return hal_->host_get_device_pointer(host, device_id);
}

MemCtlOutcome Machine::mem_ctl(std::int32_t type, std::uint64_t mask, std::uint32_t device_id) const {
  const std::lock_guard lock(mutex_);
  return hal_->mem_ctl(type, mask, device_id);
}

bool Machine::support_feature(std::uint32_t device_id, std::int32_t type) {
  const std::lock_guard lock(mutex_);
  return hal_->support_feature(device_id, type);
}

Picoseconds Machine::launch(TimelineId timeline, Picoseconds duration, std::uint64_t tasks) {
  const std::lock_guard lock(mutex_);
  const Picoseconds begin = timelines_.occupy_device(timeline, duration);
  record({records_++, CallKind::kLaunch, timeline, DeviceAddr(), Bytes(tasks), DriverCode::kNone, begin, duration});
  return begin;
}

void Machine::charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) {
  const std::lock_guard lock(mutex_);
  const Picoseconds cost = cost_.view_access_cost(loads, stores);
  const Picoseconds begin = timelines_.advance(timeline, cost);
  record({records_++, CallKind::kViewAccesses, timeline, DeviceAddr(), Bytes(loads + stores), DriverCode::kNone, begin,
          cost});
}

TimelineId Machine::open_timeline() {
  const std::lock_guard lock(mutex_);
  return timelines_.open();
}

void Machine::close_timeline(TimelineId timeline) {
  const std::lock_guard lock(mutex_);
  timelines_.close(timeline);
}

Picoseconds Machine::now(TimelineId timeline) const {
  const std::lock_guard lock(mutex_);
  return timelines_.now(timeline);
}

void Machine::declare_host_without_data(const void* base, Bytes size) {
  const std::lock_guard lock(mutex_);
  dataless_host_.add(address_of(base), size.count());
}

void Machine::declare_device_without_data(DeviceAddr base, Bytes size) {
  const std::lock_guard lock(mutex_);
  dataless_device_.add(base.value(), size.count());
}

bool Machine::has_data(DeviceAddr base, Bytes size) const {
  const std::lock_guard lock(mutex_);
  return !dataless_device_.touches(base.value(), size.count());
}

std::byte* Machine::device_bytes(DeviceAddr base, Bytes size) const {
  const std::lock_guard lock(mutex_);
  return hal_->check_copy(base, size) == DriverCode::kNone ? backing_->bytes_at(base) : nullptr;
}

void Machine::add_observer(CallObserver& observer) {
  const std::lock_guard lock(mutex_);
  observers_.push_back(&observer);
}

void Machine::remove_observer(CallObserver& observer) {
  const std::lock_guard lock(mutex_);
  std::erase(observers_, &observer);
}

bool Machine::is_mapped_during_call(DeviceAddr base, Bytes size) const {
  const std::vector<MappedExtent> extents = hal_->mapped_extents();
  return std::any_of(extents.begin(), extents.end(), [&](const MappedExtent& extent) {
    return extent.base < base + size && base < extent.base + extent.size;
  });
}

std::uint64_t Machine::trace_digest() const {
  const std::lock_guard lock(mutex_);
  return trace_digest_.value();
}

void Machine::fail_next(CallKind kind, DriverCode code) {
  const std::lock_guard lock(mutex_);
  if (!faults_) faults_.emplace(FaultPlan{});
  faults_->fail_next(kind, code);
}

FaultHits Machine::fault_hits() const {
  const std::lock_guard lock(mutex_);
  if (!faults_) return {};
  return {faults_->failed_calls(), faults_->hits()};
}

std::vector<BlockInfo> Machine::live_blocks() const {
  const std::lock_guard lock(mutex_);
  return hal_->live_blocks();
}

std::vector<MappedExtent> Machine::mapped_extents() const {
  const std::lock_guard lock(mutex_);
  return hal_->mapped_extents();
}

}  // namespace svmsim
