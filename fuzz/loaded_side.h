// SPDX-License-Identifier: Apache-2.0
// The drop-in libraries of the build as a program has them that loads them: in a process of its own (loaded_calls.cpp)
// with an environment of its own, called by the symbols that dlsym() finds. From outside, time is all that can be seen
// of the machine while it lives; what it holds in the end stands in the report that the process writes. Thread-bound.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "fuzz/driver_side.h"
#include "sim/platform.h"

namespace svmsim {

using LoadedVariables = std::map<std::string, std::string>;

class LoadedSide final : public DriverSide {
 public:
  // Whether there is the build tree that has program and libraries. Never in builds with an engine of somebody else's.
  [[nodiscard]] static bool is_possible();

  // Starts the process, with these SVMSIM_* variables and no other. `platform` is what they ask for.
  LoadedSide(const LoadedVariables& variables, const Platform& platform);
  ~LoadedSide() override;

  [[nodiscard]] DriverState state() const override;  // time alone
  [[nodiscard]] DeviceAddr base() const override;
  [[nodiscard]] std::string complaint() const override { return complaint_; }

  // Ends the process; what it wrote to standard error. No call may follow. An end with another code than 0 is a
  // complaint.
  [[nodiscard]] std::string finish();

 protected:
  [[nodiscard]] DriverAnswer carry_out(const DriverCall& call, std::uint64_t address) override;
  [[nodiscard]] bool has_identity() const override { return !platform_.non_identity; }

 private:
  [[nodiscard]] bool exchange(const DriverCall& call, std::uint64_t address, DriverAnswer& answer);
  [[nodiscard]] std::string end_process();  // how it ended; empty: as it should

  const Platform platform_;
  int socket_ = -1;
  int errors_ = -1;  // a memory file
  pid_t process_ = -1;
  std::uint64_t now_ns_ = 0;
  std::string complaint_;
};

}  // namespace svmsim
