// SPDX-License-Identifier: Apache-2.0
#include "sim/dropin/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "sim/descriptor.h"
#include "sim/dropin/environment.h"

namespace svmsim {

namespace {

constexpr int kViolated = 1;
constexpr int kBadInput = 2;

// One line; not through stdio, whose buffers belong to the program.
void say(const std::string& message) {
  static_cast<void>(write_all(STDERR_FILENO, fmt::format("svmsim: {}\n", message)));
}

[[noreturn]] void end_with_bad_input(const std::string& message) {
  say(message);
  _exit(kBadInput);
}

}  // namespace

Process& Process::instance() {
  static constinit Process process;
  return process;
}

bool Process::is_child() const {
  const pid_t owner = owner_.load(std::memory_order_acquire);
  return owner != 0 && owner != getpid();
}

std::optional<std::string> Process::make(Environment environment) {
  auto simulation = Simulation::create(std::move(environment));
  if (!simulation) return simulation.error();
  simulation_ = simulation->release();
  owner_.store(getpid(), std::memory_order_release);
  return std::nullopt;
}

Simulation& Process::ready() {
  if (simulation_ == nullptr) {
    auto environment = read_environment(svmsim_variables(), SVMSIM_FIXTURES_DIR);
    if (!environment) end_with_bad_input(environment.error());
    if (const auto error = make(std::move(*environment))) end_with_bad_input(*error);
  }
  return *simulation_;
}

std::optional<std::string> Process::begin_anew(Environment environment) {
  const std::lock_guard lock(mutex_);
  delete std::exchange(simulation_, nullptr);
  return make(std::move(environment));
}

void Process::before_fork() {
  mutex_.lock();
  if (simulation_ != nullptr && !is_child()) simulation_->flush();
}

void Process::finish(int status) {
  if (is_child()) return;
  const std::lock_guard lock(mutex_);
  if (simulation_ == nullptr) return;
  const Simulation::Ending ending = simulation_->finish();
  for (const std::string& mistake : ending.mistakes) say(mistake);
  int exit_code = 0;
  if (!ending.mistakes.empty()) exit_code = kBadInput;
  if (ending.violated && simulation_->environment().strict) exit_code = kViolated;
  // The program's own failure says more.
  if (status != 0 || exit_code == 0) return;
  std::fflush(nullptr);
  _exit(exit_code);
}

}  // namespace svmsim
