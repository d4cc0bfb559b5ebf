// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace svmsim {
namespace {

using svmrt::DriverCode;

const std::filesystem::path kPlans = std::filesystem::path(SVMSIM_FIXTURES_DIR) / "faults";

ConfigResult<FaultPlan> loaded(const std::string& text) {
  const std::string path = testing::TempDir() + "fault_plan_test_" + std::to_string(getpid()) + ".toml";
  std::ofstream(path) << text;
  auto plan = load_fault_plan(path);
  std::filesystem::remove(path);
  return plan;
}

// A plan of one fault with these lines.
ConfigResult<FaultPlan> with_fault(const std::string& lines) {
  return loaded("name = \"n\"\ndescription = \"d\"\n[[fault]]\n" + lines);
}

void expect_refused(const std::string& lines, const std::string& key, const std::string& allowed) {
  const auto plan = with_fault(lines);
  ASSERT_FALSE(plan.has_value()) << lines;
  EXPECT_EQ(plan.error().key, "fault[0]." + key) << lines;
  EXPECT_THAT(plan.error().allowed, testing::HasSubstr(allowed)) << lines;
}

TEST(FaultPlan, EveryShippedPlanIsNamedHereAndLoadsUnderItsFileName) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kPlans)) {
    const auto plan = load_fault_plan(entry.path().string());
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    EXPECT_EQ(plan->name, entry.path().stem().string());
    EXPECT_FALSE(plan->description.empty());
    names.push_back(plan->name);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("busy-free", "device-lost", "flaky-copies", "out-of-memory",
                                                   "refused-register", "unregister-fails-once"));
}

TEST(FaultPlan, EveryKeyIsRead) {
  const auto plan = loaded(
      "name = \"n\"\ndescription = \"d\"\nseed = 9\n"
      "[[fault]]\nname = \"x\"\ncall = \"free\"\nindex = 3\naddress = 0x1000\nbytes = 32\nper_million = 7\n"
      "repeat = \"sticky\"\ncode = 13\n");
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_EQ(plan->seed, 9U);
  ASSERT_EQ(plan->faults.size(), 1U);
  const Fault& fault = plan->faults[0];
  EXPECT_EQ(fault.name, "x");
  EXPECT_EQ(fault.call, CallKind::kFree);
  EXPECT_EQ(fault.index, 3U);
  ASSERT_TRUE(fault.range.has_value());
  EXPECT_EQ(fault.range->first, 0x1000U);
  EXPECT_EQ(fault.range->bytes, 32U);
  EXPECT_EQ(fault.per_million, 7U);
  EXPECT_EQ(fault.repeat, FaultRepeat::kSticky);
  EXPECT_EQ(fault.code, DriverCode::kBusy);
}

TEST(FaultPlan, AbsentKeysHaveTheirDocumentedDefaults) {
  const auto plan = with_fault("call = \"any\"\ncode = 1\n");
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_EQ(plan->seed, 1U);
  const Fault& fault = plan->faults[0];
  EXPECT_EQ(fault.name, "fault[0]");
  EXPECT_EQ(fault.call, std::nullopt);
  EXPECT_EQ(fault.index, std::nullopt);
  EXPECT_FALSE(fault.range.has_value());
  EXPECT_EQ(fault.per_million, std::nullopt);
  EXPECT_EQ(fault.repeat, FaultRepeat::kEach);
}

TEST(FaultPlan, EveryKindOfDriverCallCanBeNamedAsInTraces) {
  for (const CallKind kind :
       {CallKind::kAllocate, CallKind::kFree, CallKind::kRegister, CallKind::kUnregister, CallKind::kCopyToDevice,
        CallKind::kCopyFromDevice, CallKind::kSetMemory, CallKind::kCopyOnDevice}) {
    const auto plan = with_fault("call = \"" + std::string(call_kind_name(kind)) + "\"\ncode = 1\n");
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    EXPECT_EQ(plan->faults[0].call, kind);
  }
  expect_refused("call = \"launch\"\ncode = 1\n", "call", "any");
}

TEST(FaultPlan, EveryCodeOfTheDriverButSuccessCanBeAskedFor) {
  // hicann/driver ef377e9, drvError.
  const std::set<std::int32_t> failures = {1,  2,  3,  4,  6,  7,  8,  9,  10, 11, 12,   13,
                                           14, 16, 17, 23, 37, 38, 42, 46, 51, 62, 65534};
  const auto expect_asked = [&](std::int32_t number) {
    EXPECT_EQ(with_fault("call = \"any\"\ncode = " + std::to_string(number) + "\n").has_value(),
              failures.contains(number))
        << number;
  };
  for (std::int32_t number = -1; number <= 70; ++number) expect_asked(number);
  for (std::int32_t number = 65'530; number <= 65'540; ++number) expect_asked(number);
}

TEST(FaultPlan, MissingCallOrCodeIsRefused) {
  expect_refused("code = 1\n", "call", "\"allocate\"");
  expect_refused("call = \"any\"\n", "code", "65534");
}

TEST(FaultPlan, RangesAreCheckedOnBothSides) {
  const std::string any = "call = \"any\"\ncode = 1\n";
  EXPECT_TRUE(with_fault(any + "per_million = 1\n").has_value());
  EXPECT_TRUE(with_fault(any + "per_million = 1000000\n").has_value());
  expect_refused(any + "per_million = 0\n", "per_million", "1000000");
  expect_refused(any + "per_million = 1000001\n", "per_million", "1000000");
  EXPECT_TRUE(with_fault(any + "index = 0\n").has_value());
  expect_refused(any + "index = -1\n", "index", "0");
  EXPECT_TRUE(with_fault(any + "address = 0xffffffffff\nbytes = 0x10000000000\n").has_value());
  expect_refused(any + "address = 0x10000000000\nbytes = 1\n", "address", "1099511627775");
  expect_refused(any + "address = 0\nbytes = 0x10000000001\n", "bytes", "1099511627776");
  expect_refused(any + "address = 0\nbytes = 0\n", "bytes", "1");
}

TEST(FaultPlan, AnAddressWithoutBytesAndBytesWithoutAnAddressAreRefused) {
  expect_refused("call = \"any\"\ncode = 1\naddress = 0\n", "bytes", "1");
  expect_refused("call = \"any\"\ncode = 1\nbytes = 1\n", "address", "0");
}

TEST(FaultPlan, AnAddressOfAnAllocateIsRefusedAndTheReasonSaid) {
  expect_refused("call = \"allocate\"\ncode = 6\naddress = 0\nbytes = 1\n", "address", "an allocate has no address");
}

TEST(FaultPlan, UnknownKeysAreRefused) { expect_refused("call = \"any\"\ncode = 1\nwhen = 1\n", "when", ""); }

TEST(FaultPlan, UpTo64FaultsAreReadAndNoneIsNotEnough) {
  const std::string head = "name = \"n\"\ndescription = \"d\"\n";
  std::string text = head;
  EXPECT_FALSE(loaded(text).has_value());
  EXPECT_FALSE(loaded(text + "fault = []\n").has_value());
  for (int i = 0; i < 64; ++i) text += "[[fault]]\ncall = \"any\"\ncode = 1\n";
  const auto plan = loaded(text);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  EXPECT_EQ(plan->faults[63].name, "fault[63]");
  EXPECT_FALSE(loaded(text + "[[fault]]\ncall = \"any\"\ncode = 1\n").has_value());
}

}  // namespace
}  // namespace svmsim
