// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/simulation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/descriptor.h"

namespace svmsim {

namespace {

// False with errno set.
bool write_report(const std::string& path, const ProcessReport& report) {
  if (path == "-") return write_all(STDERR_FILENO, report.text());
  // Without O_NONBLOCK a FIFO that nobody reads would be waited for.
  const int descriptor =
      above_standard_streams(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666));
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, path.ends_with(".json") ? report.json() : report.text());
  const int errno_of_write = errno;
  if (close(descriptor) != 0) return false;
  errno = errno_of_write;
  return written;
}

}  // namespace

tl::expected<std::unique_ptr<Simulation>, std::string> Simulation::create(Environment environment) {
  std::unique_ptr<Simulation> simulation(new Simulation(std::move(environment)));
  const Environment& asked = simulation->environment_;
  auto machine =
      Machine::create(asked.platform, asked.cost,
                      {.backing = asked.backing, .faults = asked.faults, .host_memory = &simulation->host_memory_});
  if (!machine) return tl::unexpected(std::move(machine.error()));
  simulation->machine_ = std::move(*machine);
  simulation->report_ = std::make_unique<ProcessReport>(*simulation->machine_, asked.assumptions);
  simulation->acl_ = std::make_unique<AclRuntime>(*simulation->machine_, asked.visible_devices);
  if (asked.trace_path) {
    auto trace = TraceWriter::create(*asked.trace_path);
    if (!trace) return tl::unexpected(fmt::format("SVMSIM_TRACE: {}", trace.error()));
    simulation->trace_ = std::move(*trace);
    simulation->trace_->set_origin(simulation->machine_->slice_base());
    simulation->machine_->add_observer(*simulation->trace_);
  }
  return simulation;
}

void Simulation::flush() {
  if (trace_ && !ended_) trace_->flush();
}

Simulation::Ending Simulation::finish() {
  Ending ending;
  ended_ = true;
  report_->finish();
  ending.violated = !report_->rules().violations().empty();
  if (trace_) {
    machine_->remove_observer(*trace_);  // other threads may call on
    if (auto written = trace_->finish(); !written) ending.mistakes.push_back("SVMSIM_TRACE: " + written.error());
  }
  if (environment_.report_path && !write_report(*environment_.report_path, *report_)) {
    ending.mistakes.push_back(
        fmt::format("SVMSIM_REPORT: cannot write {}: {}", *environment_.report_path, std::strerror(errno)));
  }
  return ending;
}

}  // namespace svmsim
