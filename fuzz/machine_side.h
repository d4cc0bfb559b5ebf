// SPDX-License-Identifier: Apache-2.0
// The simulated machine in process, through the runtime's port where that has the call. Borrows the machine.
#pragma once

#include <optional>

#include "fuzz/driver_side.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"

namespace svmsim {

class MachineSide final : public DriverSide {
 public:
  explicit MachineSide(Machine& machine) : machine_(machine) {}
  [[nodiscard]] DriverState state() const override;
  [[nodiscard]] DeviceAddr base() const override { return machine_.slice_base(); }

 protected:
  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) override;

 private:
  [[nodiscard]] DriverAnswer carry_out_acl(const DriverCall& call, std::uint64_t address);

  Machine& machine_;
  std::optional<RuntimeDriver> driver_;  // once the device is open
};

// For either side: state of a machine, and what a register answers on success.
[[nodiscard]] DriverState machine_state(const Machine& machine);
[[nodiscard]] DriverAnswer view_answer(const Machine& machine, const DriverCall& call, const void* host);

}  // namespace svmsim
