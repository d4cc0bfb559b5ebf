// SPDX-License-Identifier: Apache-2.0
#include "cli/regress/board_port.h"

#include <iterator>

namespace svmsim {

using svmrt::Bytes;
using svmrt::DeviceAddr;
using svmrt::DriverCode;
using svmrt::TimelineId;

namespace {

std::uintptr_t number(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

}  // namespace

void BoardPort::declare_host_without_data(const void* base, Bytes size) { dataless_host_[number(base)] = size; }

bool BoardPort::host_has_data(const void* at) const {
  auto after = dataless_host_.upper_bound(number(at));
  if (after == dataless_host_.begin()) return true;
  --after;
  return number(at) - after->first >= after->second.count();
}

bool BoardPort::has_data(DeviceAddr base, Bytes size) const {
  const auto next = dataless_device_.upper_bound(base);
  if (next != dataless_device_.end() && next->first < base + size) return false;
  if (next == dataless_device_.begin()) return true;
  const auto& [before, extent] = *std::prev(next);
  return before + extent <= base;
}

DriverCode BoardPort::free(TimelineId timeline, DeviceAddr base) {
  const DriverCode code = driver_.free(timeline, base);
  counts_.count(CallKind::kFree, code);
  if (code == DriverCode::kNone) dataless_device_.erase(base);
  return code;
}

svmrt::RegisterResult BoardPort::register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) {
  const svmrt::RegisterResult result = driver_.register_to_host(timeline, base, size);
  counts_.count(CallKind::kRegister, result.code);
  return result;
}

DriverCode BoardPort::unregister_from_host(TimelineId timeline, DeviceAddr base) {
  const DriverCode code = driver_.unregister_from_host(timeline, base);
  counts_.count(CallKind::kUnregister, code);
  return code;
}

DriverCode BoardPort::copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) {
  return host_has_data(from) ? driver_.copy_to_device(timeline, to, from, size) : DriverCode::kNone;
}

DriverCode BoardPort::copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) {
  return host_has_data(to) ? driver_.copy_from_device(timeline, to, from, size) : DriverCode::kNone;
}

}  // namespace svmsim
