// SPDX-License-Identifier: Apache-2.0
// The drop-in libraries as a program calls them: the functions behind their symbols, in this process. Its one
// simulation is replaced for each side, which no program could do, so what is not asked here is how the libraries are
// loaded, which symbols they show, what they read from the environment, and how a process ends: loaded_side.h asks
// that. One at a time.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "fuzz/library_calls.h"
#include "sim/dropin/environment.h"
#include "sim/machine/machine.h"

namespace svmsim {

class LibrarySide final : public DriverSide {
 public:
  // The error is one line for people: there is no such simulation.
  [[nodiscard]] static tl::expected<std::unique_ptr<LibrarySide>, std::string> create(Environment environment);
  ~LibrarySide() override;
  [[nodiscard]] DriverState state() const override;
  [[nodiscard]] DeviceAddr base() const override { return machine_.slice_base(); }

 protected:
  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) override {
    return caller_.carry_out(call, address);
  }
  [[nodiscard]] bool has_identity() const override { return !machine_.platform().non_identity; }

 private:
  LibrarySide();

  LibraryCaller caller_;
  const Machine& machine_;  // the process', until the next side is made
};

}  // namespace svmsim
