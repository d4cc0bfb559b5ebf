// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/in_process_port.h"

#include <cstdint>

#include "sim/driver/register_rules.h"

namespace svmsim {

using svmrt::code_number;

svmrt::Bytes view_offset(const Platform& platform) {
  return svmrt::Bytes(platform.non_identity ? std::uint64_t{1} << 46 : 0);
}

InProcessPort::InProcessPort(const Platform& platform, const AddressLayout& layout, Backing& backing)
    : InProcessPort(platform, layout, backing, surroundings_of(platform, layout.device_base.value())) {}

InProcessPort::InProcessPort(const Platform& platform, const AddressLayout& layout, Backing& backing,
                             const HalSurroundings& surroundings)
    : platform_(platform),
      layout_(layout),
      backing_(backing),
      surroundings_(surroundings),
      driver_(make_hal_driver(platform_, layout_, backing_)) {}

InProcessPort::~InProcessPort() { driver_->device_close(); }

bool InProcessPort::has(HalSymbol symbol) {
  return symbol != HalSymbol::kMemHostGetDevPointer || platform_.personality != Personality::kV3;
}

void InProcessPort::begin_case() {
  driver_->device_close();
  driver_ = make_hal_driver(platform_, layout_, backing_);
}

std::string InProcessPort::reopen_device() {
  driver_->device_close();
  return {};
}

std::uint64_t InProcessPort::host_memory() { return 0x7f0000000000; }

// A null result pointer is checked where size 0 is (P2).
std::int32_t InProcessPort::mem_alloc(std::uint64_t* address, std::uint64_t size, std::uint64_t flag) {
  const AllocOutcome outcome = driver_->mem_alloc(address == nullptr ? 0 : size, flag);
  if (outcome.code == DriverCode::kNone && address != nullptr) *address = outcome.address.value();
  return code_number(outcome.code);
}

std::int32_t InProcessPort::mem_free(std::uint64_t address) {
  return code_number(driver_->mem_free(DeviceAddr(address)));
}

std::int32_t InProcessPort::host_register(std::uint64_t source, std::uint64_t size, std::uint32_t flag,
                                          std::uint32_t device_id, std::uint64_t* host) {
  if (host == nullptr) return code_number(r2_null_destination(platform_.personality, flag));
  const RegisterOutcome outcome = driver_->host_register(DeviceAddr(source), size, flag, device_id);
  if (outcome.code == DriverCode::kNone) *host = reinterpret_cast<std::uintptr_t>(outcome.host);
  return code_number(outcome.code);
}

std::int32_t InProcessPort::host_unregister(std::uint64_t source, std::uint32_t device_id) {
  return code_number(driver_->host_unregister(DeviceAddr(source), device_id).code);
}

std::int32_t InProcessPort::host_unregister_ex(std::uint64_t source, std::uint32_t device_id, std::uint32_t flag) {
  return code_number(driver_->host_unregister_ex(DeviceAddr(source), device_id, flag).code);
}

bool InProcessPort::support_feature(std::uint32_t device_id, std::int32_t type) {
  return driver_->support_feature(device_id, type);
}

std::int32_t InProcessPort::mem_host_get_dev_pointer(std::uint64_t host, std::uint32_t device_id,
                                                     std::uint64_t* address) {
  const DevicePointerOutcome outcome = driver_->host_get_device_pointer(host, device_id);
  if (outcome.code == DriverCode::kNone && address != nullptr) *address = outcome.address.value();
  return code_number(outcome.code);
}

std::int32_t InProcessPort::mem_ctl(std::int32_t type, const MemCtlFeatures* in, MemCtlFeatures* out) {
  if (in == nullptr || out == nullptr) return code_number(DriverCode::kInvalidValue);
  const MemCtlOutcome outcome = driver_->mem_ctl(type, in->mask, in->device_id);
  if (outcome.code == DriverCode::kNone) *out = MemCtlFeatures{outcome.mask, in->device_id};
  return code_number(outcome.code);
}

}  // namespace svmsim
