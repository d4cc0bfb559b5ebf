// SPDX-License-Identifier: Apache-2.0
// The simulated machine in process, through the runtime's port where that has the call. Borrows the machine.
#pragma once

#include <optional>

#include "fuzz/driver_side.h"
#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"

namespace svmsim {

// How much state() tells: all of it, or what a program sees of its driver.
enum class Shown : std::uint8_t { kEverything, kTime };

class MachineSide final : public DriverSide {
 public:
  explicit MachineSide(Machine& machine, Shown shown = Shown::kEverything) : machine_(machine), shown_(shown) {}
  [[nodiscard]] DriverState state() const override;
  [[nodiscard]] DeviceAddr base() const override { return machine_.slice_base(); }

 protected:
  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) override;
  [[nodiscard]] bool has_identity() const override { return !machine_.platform().non_identity; }

 private:
  [[nodiscard]] DriverAnswer carry_out_acl(const DriverCall& call, std::uint64_t address);

  Machine& machine_;
  const Shown shown_;
  std::optional<RuntimeDriver> driver_;  // once the device is open
};

[[nodiscard]] DriverState machine_state(const Machine& machine);

}  // namespace svmsim
