// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/runtime_driver.h"

#include "sim/driver/acl_malloc.h"
#include "sim/driver/hal_flags.h"

namespace svmsim {

namespace {
// The one device of a simulated machine.
constexpr std::uint32_t kDevice = 0;
}  // namespace

RuntimeDriver::RuntimeDriver(Machine& machine) : machine_(machine) {
  machine_.support_feature(kDevice, kFeatureRegisterQuery);
}

svmrt::Capabilities RuntimeDriver::capabilities() const { return {machine_.platform().host_map_path}; }

svmrt::AllocateResult RuntimeDriver::allocate(TimelineId timeline, Bytes size) {
  // aclrtMalloc refuses size 0 before it asks the driver, with an ACL code; the driver's own word for it is 3 (P2).
  if (size == Bytes(0)) return {DriverCode::kInvalidValue, DeviceAddr()};
  const AclMallocPlan plan = p4_acl_malloc(size.count(), AclMallocPolicy::kHugeFirst, kDevice);
  const AllocOutcome outcome = machine_.allocate(timeline, plan);
  return {outcome.code, outcome.address};
}

DriverCode RuntimeDriver::free(TimelineId timeline, DeviceAddr base) { return machine_.mem_free(timeline, base); }

svmrt::RegisterResult RuntimeDriver::register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) {
  const RegisterOutcome outcome = machine_.host_register(timeline, base, size.count(), kDevSvmMapHost, kDevice);
  return {outcome.code, outcome.host};
}

DriverCode RuntimeDriver::unregister_from_host(TimelineId timeline, DeviceAddr base) {
  return machine_.host_unregister(timeline, base, kDevice).code;
}

DriverCode RuntimeDriver::copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) {
  return machine_.copy_to_device(timeline, to, from, size);
}

DriverCode RuntimeDriver::copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) {
  return machine_.copy_from_device(timeline, to, from, size);
}

DriverCode RuntimeDriver::set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) {
  return machine_.set_memory(timeline, to, value, size);
}

TimelineId RuntimeDriver::open_timeline() { return machine_.open_timeline(); }

void RuntimeDriver::close_timeline(TimelineId timeline) { machine_.close_timeline(timeline); }

Picoseconds RuntimeDriver::now_ps(TimelineId timeline) const { return machine_.now(timeline); }

void RuntimeDriver::charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) {
  machine_.charge_view_accesses(timeline, loads, stores);
}

}  // namespace svmsim
