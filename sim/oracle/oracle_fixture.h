// SPDX-License-Identifier: Apache-2.0
// A runtime by hand: bare driver calls on a small machine, told to an oracle as a program's accesses would be.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/driver/hal_flags.h"
#include "sim/machine/runtime_driver.h"
#include "sim/oracle/oracle.h"
#include "sim/testing/test_machine.h"

namespace svmsim {

inline constexpr Bytes kBlockSize{4096};

inline const std::vector<std::string> kNothing;  // no rule broken

// The calls are made on open runs and in the order of their time: a run that is opened later starts when the last one
// was closed.
class OracleFixture : public ::testing::Test {
 protected:
  using Outcome = Oracle::AccessOutcome;
  using Rules = std::vector<std::string>;

  explicit OracleFixture(svmrt::Policy policy = svmrt::Policy::kCached, const Platform& platform = test_platform(),
                         const MachineOptions& options = {})
      : machine_(make_test_machine(platform, options)), driver_(*machine_), oracle_(*machine_, policy) {}

  TimelineId open() {
    const TimelineId run = driver_.open_timeline();
    began_[run] = driver_.now_ps(run);
    oracle_.run_began(run);
    return run;
  }
  DeviceAddr alloc(const std::string& name, Bytes size = kBlockSize) {
    const svmrt::AllocateResult result = driver_.allocate(svmrt::kRunnerTimeline, size);
    EXPECT_EQ(result.code, DriverCode::kNone);
    oracle_.name_child_memory(result.address, size, name);
    return result.address;
  }
  DriverCode free(DeviceAddr base) { return driver_.free(svmrt::kRunnerTimeline, base); }
  DriverCode reg(TimelineId run, DeviceAddr base, Bytes size = kBlockSize) {
    return driver_.register_to_host(run, base, size).code;
  }
  DriverCode unreg(TimelineId run, DeviceAddr base) { return driver_.unregister_from_host(run, base); }
  // An unregister that fails: the v2 driver keeps its records by the device id.
  void failing_unreg(TimelineId run, DeviceAddr base) {
    constexpr std::uint32_t kWrongDevice = 5;
    EXPECT_EQ(machine_->host_unregister(run, base, kWrongDevice).code, DriverCode::kNotExist);
  }
  DriverCode copy(TimelineId run, DeviceAddr at) {
    std::uint32_t value = 0;
    return driver_.copy_from_device(run, &value, at, Bytes(4));
  }

  // A read of 4 bytes at `at`, for which the runtime does `what`.
  void access(TimelineId run, DeviceAddr at, const std::function<void()>& what = {},
              Outcome outcome = Outcome::kSucceeded) {
    oracle_.access_begins(run, at, Bytes(4));
    if (what) what();
    oracle_.access_ended({run, at, Bytes(4)}, outcome);
  }
  void access_mapping(TimelineId run, DeviceAddr base, Bytes size = kBlockSize) {
    access(run, base, [&] { EXPECT_EQ(reg(run, base, size), DriverCode::kNone); });
  }
  void access_copying(TimelineId run, DeviceAddr at) {
    access(run, at, [&] { EXPECT_EQ(copy(run, at), DriverCode::kNone); });
  }
  void end_bind(TimelineId run, std::uint64_t copies = 0) {
    oracle_.bind_ended(run, copies, driver_.now_ps(run) - began_[run]);
  }

  [[nodiscard]] Rules broken() const {
    Rules rules;
    for (const Violation& violation : oracle_.violations()) {
      rules.push_back(violation.allocation.empty() ? violation.rule : violation.rule + " " + violation.allocation);
    }
    return rules;
  }
  [[nodiscard]] const std::string& message(std::size_t index = 0) const {
    return oracle_.violations().at(index).message;
  }

  std::unique_ptr<Machine> machine_;
  RuntimeDriver driver_;
  Oracle oracle_;
  std::map<TimelineId, Picoseconds> began_;
};

}  // namespace svmsim
