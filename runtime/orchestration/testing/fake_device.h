// SPDX-License-Identifier: Apache-2.0
// One range of device memory behind a HostApi, for tests: copies move bytes and can be told to fail. It offers no
// host views unless told otherwise. Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/host_api.h"
#include "runtime/units.h"

namespace svmrt::testing {

class FakeDevice {
 public:
  FakeDevice(DeviceAddr base, Bytes size) : base_(base), bytes_(size.count()) {
    api_.context = this;
    api_.copy_to_device = [](void* context, std::uint64_t device, const void* host, std::uint64_t bytes) {
      FakeDevice& self = *static_cast<FakeDevice*>(context);
      ++self.copies;
      if (self.copy_code == 0) std::memcpy(self.at(device), host, bytes);
      return self.copy_code;
    };
    api_.copy_from_device = [](void* context, void* host, std::uint64_t device, std::uint64_t bytes) {
      FakeDevice& self = *static_cast<FakeDevice*>(context);
      ++self.copies;
      if (self.copy_code == 0) std::memcpy(host, self.at(device), bytes);
      return self.copy_code;
    };
    api_.acquire_child_memory_host_view = [](void* context, std::uint64_t, std::uint64_t, void**) {
      return static_cast<FakeDevice*>(context)->view_status;
    };
    api_.charge_view_accesses = [](void*, std::uint64_t, std::uint64_t) {};
    api_.now_ps = [](void*) -> std::uint64_t { return 0; };
  }
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;

  [[nodiscard]] const HostApi* api() const { return &api_; }
  // `device` lies in the range.
  [[nodiscard]] std::byte* at(std::uint64_t device) { return &bytes_.at(device - base_.value()); }

  std::int32_t copy_code = 0;                            // what every copy returns
  HostViewStatus view_status = HostViewStatus::kNoView;  // never kMapped
  std::uint64_t copies = 0;

 private:
  DeviceAddr base_;
  std::vector<std::byte> bytes_;
  HostApi api_;
};

}  // namespace svmrt::testing
