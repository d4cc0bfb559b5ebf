// SPDX-License-Identifier: Apache-2.0
#include "sim/oracle/process_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/driver/hal_flags.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using ::testing::HasSubstr;

constexpr std::uint64_t kOrdinaryFlag = 0x2100000000904400;
constexpr DriverCode kSuccess = DriverCode::kNone;

Platform calibrated_platform() {
  Platform platform = test_platform();
  platform.calibration = "round-figures";
  platform.description = "a small machine";
  return platform;
}

// Leaves a mapping and its block: calls 0 to 4.
void leaky_program(Machine& machine) {
  const DeviceAddr left = machine.mem_alloc(kRunnerTimeline, 8192, kOrdinaryFlag).address;
  const DeviceAddr freed = machine.mem_alloc(kRunnerTimeline, 4096, kOrdinaryFlag).address;
  EXPECT_EQ(machine.host_register(kRunnerTimeline, left, 100, kDevSvmMapHost, 0).code, kSuccess);
  EXPECT_EQ(machine.host_register(kRunnerTimeline, left, 0, kDevSvmMapHost, 0).code, DriverCode::kParaError);
  EXPECT_EQ(machine.mem_free(kRunnerTimeline, freed), kSuccess);
}

// Costs of sim/testing/test_machine.h: allocate 3 ns, free 4 ns; a register of one ordinary and one host page
// 1000 + 1 + 0.010 ns, a refused one 1000 ns.
TEST(ProcessReport, JsonHasCallsCostsLeftoversAndViolations) {
  const auto machine = make_test_machine(calibrated_platform());
  ProcessReport report(*machine, {{"view_load", "Nothing is charged."}});
  leaky_program(*machine);
  report.finish();
  const std::string text = report.json();
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["platform"], "test");
  EXPECT_EQ(json["calibration"], "round-figures");
  EXPECT_EQ(json["not_measured"], nlohmann::json::array({"view_load"}));
  ASSERT_EQ(json["calls"].size(), 4U);
  const auto expect_calls = [&](std::size_t index, const char* call, int code, int count) {
    EXPECT_EQ(json["calls"][index]["call"], call);
    EXPECT_EQ(json["calls"][index]["code"], code);
    EXPECT_EQ(json["calls"][index]["count"], count);
  };
  expect_calls(0, "allocate", 0, 2);
  expect_calls(1, "free", 0, 1);
  expect_calls(2, "register", 0, 1);
  expect_calls(3, "register", 8, 1);
  for (const char* figure : {"\"cost_ns\": 6.000\n", "\"cost_ns\": 4.000\n", "\"cost_ns\": 1001.010\n",
                             "\"cost_ns\": 1000.000\n", "\"now_ns\": 2011.010,\n"}) {
    EXPECT_THAT(text, HasSubstr(figure));
  }
  EXPECT_EQ(json["live_blocks"], nlohmann::json::parse(R"([{"address": "svm+0x0", "bytes": 8192,
    "page_kind": "ordinary", "allocated_by_call": 0}])"));
  EXPECT_EQ(json["live_mappings"], nlohmann::json::parse(R"([{"address": "svm+0x0", "bytes": 4096,
    "registered_by_call": 2, "allocation": "svm+0x0"}])"));
  ASSERT_EQ(json["violations"].size(), 3U);
  EXPECT_EQ(json["violations"][0]["rule"], "I3");
  EXPECT_EQ(json["violations"][0]["call"], -1);
  EXPECT_EQ(json["violations"][0]["allocation"], "svm+0x0");
  EXPECT_THAT(json["violations"][0]["message"], HasSubstr("call 2"));
}

TEST(ProcessReport, TextHasTheSameForPeople) {
  const auto machine = make_test_machine(calibrated_platform());
  ProcessReport report(*machine, {{"view_load", ""}, {"launch", ""}});
  leaky_program(*machine);
  report.finish();
  const std::string text = report.text();
  for (const char* part :
       {"platform test, calibration round-figures\na small machine\n", "8 PARA_ERROR", "simulated time 2.011 us",
        "left allocated: 8,192 bytes at svm+0x0, ordinary pages, by call 0\n",
        "left mapped: 4,096 bytes at svm+0x0, by call 2\n",
        "violation of I8 at exit (svm+0x0): ", "not measured: view_load, launch\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ProcessReport, CleanProgramLeavesNothingAndBreaksNoRule) {
  const auto machine = make_test_machine();
  ProcessReport report(*machine, {});
  const DeviceAddr block = machine->mem_alloc(kRunnerTimeline, 4096, kOrdinaryFlag).address;
  ASSERT_EQ(machine->mem_free(kRunnerTimeline, block), kSuccess);
  report.finish();
  EXPECT_TRUE(report.rules().violations().empty());
  EXPECT_THAT(report.text(), HasSubstr("no rule broken\n"));
  const auto json = nlohmann::json::parse(report.json());
  for (const char* empty : {"live_blocks", "live_mappings", "violations", "not_measured"}) {
    EXPECT_EQ(json[empty], nlohmann::json::array()) << empty;
  }
}

TEST(ProcessReport, ProgramWithoutACallHasNoTable) {
  const auto machine = make_test_machine();
  ProcessReport report(*machine, {});
  report.finish();
  EXPECT_THAT(report.text(), HasSubstr("no driver call\n"));
  EXPECT_EQ(nlohmann::json::parse(report.json())["calls"], nlohmann::json::array());
}

TEST(ProcessReport, ViolationInACallNamesIt) {
  const auto machine = make_test_machine();
  ProcessReport report(*machine, {});
  const DeviceAddr block = machine->mem_alloc(kRunnerTimeline, 4096, kOrdinaryFlag).address;
  ASSERT_NE(machine->host_unregister(kRunnerTimeline, block, 0).code, kSuccess);
  report.finish();
  EXPECT_THAT(report.text(), HasSubstr("violation of I3 in call 1 (svm+0x0): "));
  EXPECT_EQ(nlohmann::json::parse(report.json())["violations"][0]["call"], 1);
}

TEST(ProcessReport, SameCallsInAnotherSliceGiveTheSameBytes) {
  const auto machine = make_test_machine();
  const auto elsewhere = make_test_machine();
  ASSERT_NE(machine->slice_base(), elsewhere->slice_base());
  ProcessReport first(*machine, {});
  ProcessReport second(*elsewhere, {});
  for (Machine* const each : {machine.get(), elsewhere.get()}) leaky_program(*each);
  first.finish();
  second.finish();
  EXPECT_EQ(first.text(), second.text());
  EXPECT_EQ(first.json(), second.json());
}

TEST(ProcessReport, CallsAfterTheEndAreNotCounted) {
  const auto machine = make_test_machine();
  ProcessReport report(*machine, {});
  report.finish();
  const std::string before = report.json();
  ASSERT_EQ(machine->mem_alloc(kRunnerTimeline, 4096, kOrdinaryFlag).code, kSuccess);
  EXPECT_EQ(report.json(), before);
}

TEST(ProcessReport, TimeIsThatOfTheLatestEndAndCallZeroIsNotTheExit) {
  const auto machine = make_test_machine(calibrated_platform());
  ProcessReport report(*machine, {});
  EXPECT_NE(machine->host_unregister(kRunnerTimeline, machine->slice_base(), 0).code, kSuccess);  // call 0
  const auto other = machine->open_timeline();
  machine->launch(other, svmrt::Picoseconds(1'000'000'000), 1);
  machine->charge_view_accesses(kRunnerTimeline, 1, 0);
  report.finish();
  EXPECT_GE(nlohmann::json::parse(report.json())["now_ns"].get<double>(), 1'000'000.0);
  EXPECT_THAT(report.text(), HasSubstr("violation of I3 in call 0 "));
}

}  // namespace
}  // namespace svmsim
