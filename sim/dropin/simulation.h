// SPDX-License-Identifier: Apache-2.0
// What a process' drop-in libraries simulate: a machine made from the environment, with those who watch it. Owned by
// the process; thread-bound to its lock.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/acl/acl_runtime.h"
#include "sim/dropin/environment.h"
#include "sim/machine/machine.h"
#include "sim/machine/trace_writer.h"
#include "sim/memory/host_memory.h"
#include "sim/oracle/process_report.h"

namespace svmsim {

class Simulation {
 public:
  // The error is one line for people: what the environment asks for cannot be had.
  [[nodiscard]] static tl::expected<std::unique_ptr<Simulation>, std::string> create(Environment environment);

  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] Machine& machine() { return *machine_; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] AclRuntime& acl() { return *acl_; }
  [[nodiscard]] const AclRuntime& acl() const { return *acl_; }

  // Leaves no output in buffers of this process.
  void flush();

  struct Ending {
    bool violated = false;
    std::vector<std::string> mistakes;  // what could not be written, one line each
  };
  // Completes trace and report. Once; calls may follow, unreported.
  [[nodiscard]] Ending finish();

 private:
  explicit Simulation(Environment environment) : environment_(std::move(environment)) {}

  const Environment environment_;
  const CheckedHostMemory host_memory_;
  std::unique_ptr<TraceWriter> trace_;  // null when none is asked for
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<ProcessReport> report_;
  std::unique_ptr<AclRuntime> acl_;
  bool ended_ = false;
};

}  // namespace svmsim
