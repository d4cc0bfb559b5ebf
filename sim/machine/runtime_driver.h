// SPDX-License-Identifier: Apache-2.0
// The runtime's driver port on a simulated machine: what aclrtMalloc, halHostRegister and their kin do with it.
// Borrows the machine. Thread-safe, as the machine is.
#pragma once

#include "runtime/hal.h"
#include "sim/machine/machine.h"

namespace svmsim {

class RuntimeDriver final : public svmrt::Driver {
 public:
  // Opens the device as the ACL runtime does: from then on v2 keeps registration records (rule U1).
  explicit RuntimeDriver(Machine& machine);

  [[nodiscard]] svmrt::Capabilities capabilities() const override;
  [[nodiscard]] svmrt::AllocateResult allocate(TimelineId timeline, Bytes size) override;
  [[nodiscard]] DriverCode free(TimelineId timeline, DeviceAddr base) override;
  [[nodiscard]] svmrt::RegisterResult register_to_host(TimelineId timeline, DeviceAddr base, Bytes size) override;
  [[nodiscard]] DriverCode unregister_from_host(TimelineId timeline, DeviceAddr base) override;
  [[nodiscard]] DriverCode copy_to_device(TimelineId timeline, DeviceAddr to, const void* from, Bytes size) override;
  [[nodiscard]] DriverCode copy_from_device(TimelineId timeline, void* to, DeviceAddr from, Bytes size) override;
  [[nodiscard]] DriverCode set_memory(TimelineId timeline, DeviceAddr to, std::uint8_t value, Bytes size) override;
  [[nodiscard]] TimelineId open_timeline() override;
  void close_timeline(TimelineId timeline) override;
  [[nodiscard]] Picoseconds now_ps(TimelineId timeline) const override;
  void charge_view_accesses(TimelineId timeline, std::uint64_t loads, std::uint64_t stores) override;

 private:
  Machine& machine_;
};

}  // namespace svmsim
