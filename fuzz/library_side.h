// SPDX-License-Identifier: Apache-2.0
// The drop-in libraries as a program calls them: the functions behind their symbols, in this process. The process'
// one simulation is replaced for each side, which no program could do, so what is not asked here is how the
// libraries are loaded, which symbols they show, what they read from the environment, how a fork and the end of a
// process go, and their lock. sim/dropin's tests and the conformance scripts ask that of the real ones. One at a time;
// programs that have this must not link the libraries.
#pragma once

#include <memory>

#include "fuzz/driver_side.h"
#include "sim/dropin/simulation.h"

namespace svmsim {

class LibrarySide final : public DriverSide {
 public:
  explicit LibrarySide(std::unique_ptr<Simulation> simulation);
  ~LibrarySide() override;
  [[nodiscard]] DriverState state() const override;
  [[nodiscard]] DeviceAddr base() const override;

 protected:
  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) override;

 private:
  [[nodiscard]] DriverAnswer carry_out_acl(const DriverCall& call, void* pointer);
  [[nodiscard]] DriverAnswer open(bool again);

  std::unique_ptr<Simulation> simulation_;
  bool open_ = false;
};

}  // namespace svmsim
