// SPDX-License-Identifier: Apache-2.0
#include "sim/acl/acl_runtime.h"

#include <algorithm>
#include <utility>

#include "sim/driver/hal_flags.h"

namespace svmsim {

using svmrt::kRunnerTimeline;

namespace {

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
DeviceAddr device_address(const void* pointer) { return DeviceAddr(number(pointer)); }

// Without sums, which could wrap.
bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
  return a < b ? b - a < a_size : a - b < b_size;
}

AclCode noted(AclThread& thread, AclCode code) {
  if (code != AclCode::kSuccess) thread.last_error = code;
  return code;
}

// Assumption: the map type of MAPPED is 0 whatever connects host and device; PINNED adds nothing to it.
std::uint32_t driver_flag(bool io_memory, bool read_only) {
  return (io_memory ? kHostIoMapDev : kHostMemMapDev) | (read_only ? kRegisterReadOnly : 0);
}

std::optional<AclCopyKind> copy_kind(std::uint32_t kind) {
  if (kind > static_cast<std::uint32_t>(AclCopyKind::kDefault)) return std::nullopt;
  return static_cast<AclCopyKind>(kind);
}

}  // namespace

AclRuntime::AclRuntime(Machine& machine, std::vector<std::uint32_t> visible_devices)
    : machine_(machine),
      visible_devices_(std::move(visible_devices)),
      uses_(visible_devices_.size()),
      closings_(visible_devices_.size()) {}

AclCode AclRuntime::init(AclThread& thread) {
  const Lock lock(mutex_);
  if (initialized_) return noted(thread, AclCode::kRepeatInitialize);
  initialized_ = true;
  return AclCode::kSuccess;
}

AclCode AclRuntime::finalize(AclThread& thread) {
  const Lock lock(mutex_);
  if (!initialized_) return noted(thread, AclCode::kUninitialized);
  initialized_ = false;
  return AclCode::kSuccess;
}

std::optional<std::uint32_t> AclRuntime::visible_index(std::int32_t device_id) const {
  if (device_id < 0 || static_cast<std::uint32_t>(device_id) >= visible_devices_.size()) return std::nullopt;
  return static_cast<std::uint32_t>(device_id);
}

std::optional<std::uint32_t> AclRuntime::open_device(const AclThread& thread) const {
  if (!thread.device || uses_.at(*thread.device) == 0) return std::nullopt;
  // Closed meanwhile, though somebody may have opened it again.
  if (thread.closings != closings_.at(*thread.device)) return std::nullopt;
  return visible_devices_[*thread.device];
}

AclCode AclRuntime::set_device(AclThread& thread, std::int32_t device_id) {
  const Lock lock(mutex_);
  const auto index = visible_index(device_id);
  if (!index) return noted(thread, AclCode::kInvalidDevice);
  register_query_ = machine_.support_feature(visible_devices_[*index], kFeatureRegisterQuery);
  ++uses_[*index];
  thread.device = index;
  thread.closings = closings_[*index];
  return AclCode::kSuccess;
}

AclCode AclRuntime::reset_device(AclThread& thread, std::int32_t device_id) {
  const Lock lock(mutex_);
  const auto index = visible_index(device_id);
  if (!index) return noted(thread, AclCode::kInvalidDevice);
  if (uses_[*index] == 0) return noted(thread, AclCode::kNoDeviceSet);
  if (--uses_[*index] == 0) {
    ++closings_[*index];
    if (thread.device == index) thread.device.reset();
  }
  if (std::all_of(uses_.begin(), uses_.end(), [](std::uint64_t uses) { return uses == 0; })) {
    registered_.clear();
    machine_.device_close(kRunnerTimeline);
  }
  return AclCode::kSuccess;
}

AclCode AclRuntime::get_logic_device(AclThread& thread, std::int32_t user_device, std::int32_t* logic_device) {
  if (logic_device == nullptr) return noted(thread, AclCode::kInvalidParam);
  const auto index = visible_index(user_device);
  if (!index) return noted(thread, AclCode::kInvalidDevice);
  *logic_device = static_cast<std::int32_t>(visible_devices_[*index]);
  return AclCode::kSuccess;
}

AclCode AclRuntime::malloc(AclThread& thread, void** device, std::uint64_t size, std::uint32_t policy) {
  const Lock lock(mutex_);
  return noted(thread, try_malloc(thread, device, size, policy, AclPadding::kMalloc));
}

AclCode AclRuntime::malloc_align32(AclThread& thread, void** device, std::uint64_t size, std::uint32_t policy) {
  const Lock lock(mutex_);
  return noted(thread, try_malloc(thread, device, size, policy, AclPadding::kMallocAlign32));
}

AclCode AclRuntime::try_malloc(const AclThread& thread, void** device, std::uint64_t size, std::uint32_t policy,
                               AclPadding padding) {
  if (device == nullptr || size == 0) return AclCode::kInvalidParam;
  const auto device_id = open_device(thread);
  if (!device_id) return AclCode::kNoDeviceSet;
  const AclMallocPlan plan = p4_acl_malloc(size, static_cast<AclMallocPolicy>(policy), *device_id, padding);
  const AllocOutcome outcome = machine_.allocate(kRunnerTimeline, plan);
  if (outcome.code == DriverCode::kNone) *device = reinterpret_cast<void*>(outcome.address.value());
  return acl_code(outcome.code);
}

AclCode AclRuntime::free(AclThread& thread, void* device) {
  const Lock lock(mutex_);
  if (device == nullptr) return noted(thread, AclCode::kInvalidParam);
  if (!open_device(thread)) return noted(thread, AclCode::kNoDeviceSet);
  return noted(thread, acl_code(machine_.mem_free(kRunnerTimeline, device_address(device))));
}

AclCode AclRuntime::memcpy(AclThread& thread, void* to, std::uint64_t capacity, const void* from, std::uint64_t count,
                           std::uint32_t kind) {
  const Lock lock(mutex_);
  return noted(thread, try_memcpy(thread, to, capacity, from, count, kind));
}

AclCode AclRuntime::try_memcpy(const AclThread& thread, void* to, std::uint64_t capacity, const void* from,
                               std::uint64_t count, std::uint32_t kind_number) {
  if (to == nullptr || from == nullptr) return AclCode::kInvalidParam;
  if (count == 0) return AclCode::kSuccess;
  const auto kind = copy_kind(kind_number);
  if (count > capacity || !kind) return AclCode::kParamInvalid;
  if (!open_device(thread)) return AclCode::kNoDeviceSet;
  const bool by_address = *kind == AclCopyKind::kDefault;
  const bool from_device = by_address ? machine_.is_device_address(number(from))
                                      : *kind == AclCopyKind::kDeviceToHost || *kind == AclCopyKind::kDeviceToDevice;
  const bool to_device = by_address ? machine_.is_device_address(number(to))
                                    : *kind == AclCopyKind::kHostToDevice || *kind == AclCopyKind::kDeviceToDevice;
  const Bytes size(count);
  if (from_device && to_device) {
    return acl_code(machine_.copy_on_device(kRunnerTimeline, device_address(to), device_address(from), size));
  }
  if (to_device) return acl_code(machine_.copy_to_device(kRunnerTimeline, device_address(to), from, size));
  if (from_device) return acl_code(machine_.copy_from_device(kRunnerTimeline, to, device_address(from), size));
  return copy_host(machine_.host_memory(), to, from, size) ? AclCode::kSuccess : AclCode::kInvalidHandle;
}

AclCode AclRuntime::memset(AclThread& thread, void* to, std::uint64_t capacity, std::int32_t value,
                           std::uint64_t count) {
  const Lock lock(mutex_);
  return noted(thread, try_memset(thread, to, capacity, value, count));
}

AclCode AclRuntime::try_memset(const AclThread& thread, void* to, std::uint64_t capacity, std::int32_t value,
                               std::uint64_t count) {
  if (to == nullptr || count == 0) return AclCode::kInvalidParam;
  if (count > capacity) return AclCode::kParamInvalid;
  if (!open_device(thread)) return AclCode::kNoDeviceSet;
  const auto byte = static_cast<std::uint8_t>(value);
  if (machine_.is_device_address(number(to))) {
    return acl_code(machine_.set_memory(kRunnerTimeline, device_address(to), byte, Bytes(count)));
  }
  return fill_host(machine_.host_memory(), to, byte, Bytes(count)) ? AclCode::kSuccess : AclCode::kInvalidHandle;
}

AclCode AclRuntime::malloc_host(AclThread& thread, void** host, std::uint64_t size) {
  const Lock lock(mutex_);
  return noted(thread, try_malloc_host(thread, host, size));
}

AclCode AclRuntime::try_malloc_host(const AclThread& thread, void** host, std::uint64_t size) {
  if (host == nullptr || size == 0) return AclCode::kInvalidParam;
  if (!open_device(thread)) return AclCode::kNoDeviceSet;
  auto region = MappedRegion::anonymous(nullptr, Bytes(size), MappedRegion::Access::kReadWrite);
  if (!region) return AclCode::kOutOfMemory;
  void* const base = region->data();
  host_memory_.emplace(number(base), *std::move(region));
  *host = base;
  return AclCode::kSuccess;
}

AclCode AclRuntime::free_host(AclThread& thread, void* host) {
  const Lock lock(mutex_);
  if (host == nullptr) return noted(thread, AclCode::kInvalidParam);
  return host_memory_.erase(number(host)) == 1 ? AclCode::kSuccess : noted(thread, AclCode::kParamInvalid);
}

AclCode AclRuntime::host_register(AclThread& thread, void* host, std::uint64_t size, std::uint32_t type,
                                  void** device) {
  const Lock lock(mutex_);
  if (device == nullptr) return noted(thread, AclCode::kInvalidParam);
  const bool io_memory = type == kAclHostRegisterIoMemory;
  const bool read_only = type == kAclHostRegisterReadOnly;
  const bool known = io_memory || read_only || type == kAclHostRegisterMapped;
  return noted(thread, try_host_register(thread, host, size, known, driver_flag(io_memory, read_only), device));
}

AclCode AclRuntime::host_register_v2(AclThread& thread, void* host, std::uint64_t size, std::uint32_t flags) {
  const Lock lock(mutex_);
  constexpr std::uint32_t kKnown =
      kAclHostRegV2Mapped | kAclHostRegV2IoMemory | kAclHostRegV2ReadOnly | kAclHostRegV2Pinned;
  const bool known = flags != 0 && (flags & ~kKnown) == 0;
  const std::uint32_t flag = driver_flag((flags & kAclHostRegV2IoMemory) != 0, (flags & kAclHostRegV2ReadOnly) != 0);
  return noted(thread, try_host_register(thread, host, size, known, flag, nullptr));
}

// `device` null: aclrtHostRegisterV2, which alone looks at the list first.
AclCode AclRuntime::try_host_register(const AclThread& thread, void* host, std::uint64_t size, bool known_flags,
                                      std::uint32_t flag, void** device) {
  if (host == nullptr || size == 0) return AclCode::kInvalidParam;
  if (!known_flags) return AclCode::kParamInvalid;
  const auto device_id = open_device(thread);
  if (!device_id) return AclCode::kNoDeviceSet;
  const std::uint64_t base = number(host);
  const bool listed = std::any_of(registered_.begin(), registered_.end(),
                                  [&](const auto& one) { return overlap(base, size, one.first, one.second.size); });
  if (device == nullptr && listed) return AclCode::kHostMemoryRegistered;
  const RegisterOutcome outcome = machine_.host_register(kRunnerTimeline, device_address(host), size, flag, *device_id);
  if (outcome.code != DriverCode::kNone) return acl_code(outcome.code);
  registered_.insert_or_assign(base, Registration{size, *device_id, outcome.host});
  if (device != nullptr) *device = outcome.host;
  return AclCode::kSuccess;
}

AclCode AclRuntime::host_unregister(AclThread& thread, void* host) {
  const Lock lock(mutex_);
  if (host == nullptr) return noted(thread, AclCode::kInvalidParam);
  const auto listed = registered_.find(number(host));
  if (listed == registered_.end()) return noted(thread, AclCode::kHostMemoryNotRegistered);
  const UnregisterOutcome outcome =
      machine_.host_unregister_ex(kRunnerTimeline, device_address(host), listed->second.device_id, kHostMemMapDev);
  // Assumption: a registration that the driver does not drop stays on the list.
  if (outcome.code == DriverCode::kNone) registered_.erase(listed);
  return noted(thread, acl_code(outcome.code));
}

AclCode AclRuntime::host_get_device_pointer(AclThread& thread, void* host, void** device, std::uint32_t flag) {
  const Lock lock(mutex_);
  return noted(thread, try_host_get_device_pointer(thread, host, device, flag));
}

AclCode AclRuntime::try_host_get_device_pointer(const AclThread& thread, void* host, void** device,
                                                std::uint32_t flag) {
  if (host == nullptr || device == nullptr) return AclCode::kInvalidParam;
  if (flag != 0) return AclCode::kParamInvalid;
  const auto device_id = open_device(thread);
  if (!device_id) return AclCode::kNoDeviceSet;
  if (register_query_) {
    const DevicePointerOutcome outcome = machine_.host_get_device_pointer(number(host), *device_id);
    if (outcome.code == DriverCode::kNotExist) return AclCode::kParamInvalid;
    if (outcome.code == DriverCode::kNone) *device = reinterpret_cast<void*>(outcome.address.value());
    return acl_code(outcome.code);
  }
  const auto listed = registered_.find(number(host));
  if (listed == registered_.end()) return AclCode::kParamInvalid;
  *device = listed->second.device_address;
  return AclCode::kSuccess;
}

// Assumption: one name for each class of devices.
const char* AclRuntime::soc_name() const {
  return machine_.platform().personality == Personality::kV3 ? "Ascend950" : "Ascend910B1";
}

AclCode AclRuntime::get_last_error(AclThread& thread, std::int32_t level) const {
  if (level != 0) return AclCode::kInvalidParam;
  return std::exchange(thread.last_error, AclCode::kSuccess);
}

}  // namespace svmsim
