// SPDX-License-Identifier: Apache-2.0
#include "onboard/host_map.h"

namespace svmsim {

namespace {

// DEV_SVM_MAP_HOST: device memory, for the host.
constexpr std::uint32_t kDevSvmMapHost = 2;

void* driver_pointer(svmrt::DeviceAddr address) { return reinterpret_cast<void*>(address.value()); }

}  // namespace

LibraryAnswer HostMap::register_range(std::uint32_t device, svmrt::DeviceAddr base, svmrt::Bytes size, void** host) {
  if (const auto& unregister = unregister_.get(); !unregister) return tl::unexpected(unregister.error());
  const auto& function = register_.get();
  if (!function) return tl::unexpected(function.error());
  return svmrt::DriverCode{(*function)(driver_pointer(base), size.count(), kDevSvmMapHost, device, host)};
}

LibraryAnswer HostMap::unregister(std::uint32_t device, svmrt::DeviceAddr base) {
  const auto& function = unregister_.get();
  if (!function) return tl::unexpected(function.error());
  return svmrt::DriverCode{(*function)(driver_pointer(base), device)};
}

}  // namespace svmsim
