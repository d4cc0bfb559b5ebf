// SPDX-License-Identifier: Apache-2.0
// A program that makes bare driver calls on a small machine, under the eyes of the rules over calls.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/driver/hal_flags.h"
#include "sim/oracle/call_rules.h"
#include "sim/testing/test_machine.h"

namespace svmsim {

inline constexpr Bytes kPage{4096};
inline constexpr Bytes k2MiB{2 << 20};
inline constexpr std::uint64_t kOrdinaryFlag = 0x2100000000904400;
inline constexpr std::uint64_t kHugeFlag = 0x2100000000924400;
// Size of a block with a heap of its own: 513 MiB.
inline constexpr Bytes kAbove512MiB{std::uint64_t{513} << 20};

class CallRulesTest : public ::testing::Test {
 protected:
  explicit CallRulesTest(const Platform& platform = test_platform())
      : machine_(make_test_machine(platform)), rules_(*machine_) {
    machine_->support_feature(0, kFeatureRegisterQuery);
  }
  [[nodiscard]] static Platform platform_of(Personality personality) {
    Platform platform = test_platform();
    platform.personality = personality;
    return platform;
  }

  DeviceAddr alloc(Bytes size, std::uint64_t flag = kOrdinaryFlag) {
    const AllocOutcome outcome = machine_->mem_alloc(svmrt::kRunnerTimeline, size.count(), flag);
    EXPECT_EQ(outcome.code, DriverCode::kNone);
    return outcome.address;
  }
  DriverCode free(DeviceAddr base) { return machine_->mem_free(svmrt::kRunnerTimeline, base); }
  DriverCode reg(DeviceAddr base, Bytes size) {
    return machine_->host_register(svmrt::kRunnerTimeline, base, size.count(), kDevSvmMapHost, 0).code;
  }
  DriverCode unreg(DeviceAddr base, std::uint32_t device_id = 0) {
    return machine_->host_unregister(svmrt::kRunnerTimeline, base, device_id).code;
  }
  void close() { machine_->device_close(svmrt::kRunnerTimeline); }

  // "I3@4": rule and number of the call; "@-1" at exit.
  [[nodiscard]] std::vector<std::string> broken() const {
    std::vector<std::string> list;
    for (const Violation& violation : rules_.violations()) {
      list.push_back(violation.rule + "@" + std::to_string(violation.call));
    }
    return list;
  }
  [[nodiscard]] const std::string& message(std::size_t index) const { return rules_.violations().at(index).message; }
  [[nodiscard]] const std::string& allocation(std::size_t index) const {
    return rules_.violations().at(index).allocation;
  }

  std::unique_ptr<Machine> machine_;
  CallRules rules_;
};

}  // namespace svmsim
