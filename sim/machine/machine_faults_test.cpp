// SPDX-License-Identifier: Apache-2.0
// Driver calls that fail by a fault plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "sim/machine/machine.h"
#include "sim/machine/runtime_driver.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

// Prices of a failed call of each kind, in picoseconds: the call terms of sim/testing/test_machine.h.
constexpr std::uint64_t kAllocatePrice = 3'000;
constexpr std::uint64_t kFreePrice = 4'000;
constexpr std::uint64_t kRegisterPrice = 1'000'000;
constexpr std::uint64_t kUnregisterPrice = 2'000'000;
constexpr std::uint64_t kCopyToDevice = 8'000'000;
constexpr std::uint64_t kCopyFromDevice = 9'000'000;
constexpr std::uint64_t kSetMemory = 7'000'000;

class RecorderOfFaults final : public CallObserver {
 public:
  void on_call(const CallRecord& record) override { records.push_back(record); }
  std::vector<CallRecord> records;
};

FaultPlan plan_of(std::vector<Fault> faults) { return {"test", "", 1, std::move(faults)}; }

// The call of this number among those of its kind fails.
Fault nth(CallKind call, std::uint64_t index, DriverCode code = DriverCode::kIoctlFail) {
  Fault fault;
  fault.call = call;
  fault.index = index;
  fault.code = code;
  return fault;
}

struct Rig {
  explicit Rig(std::vector<Fault> faults)
      : machine(make_test_machine(test_platform(), {BackingKind::kPlain, plan_of(std::move(faults))})),
        driver(*machine) {
    machine->add_observer(recorder);
  }
  DeviceAddr allocate(std::uint64_t bytes) { return driver.allocate(kRunnerTimeline, Bytes(bytes)).address; }
  // The last record is of this kind, failed with IOCTL_FAIL and cost this much.
  void expect_last(CallKind kind, std::uint64_t cost) {
    ASSERT_FALSE(recorder.records.empty());
    const CallRecord& record = recorder.records.back();
    EXPECT_EQ(record.kind, kind);
    EXPECT_EQ(record.code, DriverCode::kIoctlFail);
    EXPECT_EQ(record.cost.count(), cost);
  }

  std::unique_ptr<Machine> machine;
  RuntimeDriver driver;
  RecorderOfFaults recorder;
};

TEST(MachineFaults, AFailedAllocateTakesNoMemoryAndIsOneCallAlthoughAclrtMallocWouldAskTwice) {
  Rig rig({nth(CallKind::kAllocate, 0)});
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(4 << 20)).code, DriverCode::kIoctlFail);
  EXPECT_TRUE(rig.machine->live_blocks().empty());
  rig.expect_last(CallKind::kAllocate, kAllocatePrice);
  EXPECT_TRUE(rig.recorder.records.back().address.is_null());
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(4 << 20)).code, DriverCode::kNone);
}

TEST(MachineFaults, FailNextNeedsNoPlanAndHitsOneCall) {
  const auto machine = make_test_machine();
  RuntimeDriver driver(*machine);
  machine->fail_next(CallKind::kAllocate, DriverCode::kOutOfMemory);
  EXPECT_EQ(driver.allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kOutOfMemory);
  EXPECT_EQ(machine->fault_hits().failed_calls, 1u);
  EXPECT_EQ(machine->now(kRunnerTimeline), Picoseconds(kAllocatePrice));
  EXPECT_EQ(driver.allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kNone);
}

TEST(MachineFaults, FailNextGivesTheCodeWhereThePlanStrikesTooAndThePlanCountsTheCall) {
  Rig rig({nth(CallKind::kAllocate, 0), nth(CallKind::kAllocate, 2)});
  rig.machine->fail_next(CallKind::kAllocate, DriverCode::kOutOfMemory);
  rig.machine->fail_next(CallKind::kAllocate, DriverCode::kBusy);
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kOutOfMemory);
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kBusy);
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kIoctlFail);
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(4096)).code, DriverCode::kNone);
  EXPECT_EQ(rig.machine->fault_hits().failed_calls, 3u);
  EXPECT_THAT(rig.machine->fault_hits().by_fault, testing::ElementsAre(1, 1));
}

TEST(MachineFaults, AFailedFreeLeavesTheBlock) {
  Rig rig({nth(CallKind::kFree, 0)});
  const DeviceAddr block = rig.allocate(4096);
  EXPECT_EQ(rig.driver.free(kRunnerTimeline, block), DriverCode::kIoctlFail);
  EXPECT_EQ(rig.machine->live_blocks().size(), 1U);
  rig.expect_last(CallKind::kFree, kFreePrice);
  EXPECT_EQ(rig.driver.free(kRunnerTimeline, block), DriverCode::kNone);
}

TEST(MachineFaults, AFailedRegisterMapsNothingAndGivesNoAddress) {
  Rig rig({nth(CallKind::kRegister, 0)});
  const DeviceAddr block = rig.allocate(4096);
  const auto refused = rig.driver.register_to_host(kRunnerTimeline, block, Bytes(4096));
  EXPECT_EQ(refused.code, DriverCode::kIoctlFail);
  EXPECT_EQ(refused.host, nullptr);
  EXPECT_TRUE(rig.machine->mapped_extents().empty());
  rig.expect_last(CallKind::kRegister, kRegisterPrice);
  EXPECT_EQ(rig.driver.register_to_host(kRunnerTimeline, block, Bytes(4096)).code, DriverCode::kNone);
}

TEST(MachineFaults, AFailedUnregisterLeavesTheMapping) {
  Rig rig({nth(CallKind::kUnregister, 0)});
  const DeviceAddr block = rig.allocate(4096);
  ASSERT_EQ(rig.driver.register_to_host(kRunnerTimeline, block, Bytes(4096)).code, DriverCode::kNone);
  EXPECT_EQ(rig.driver.unregister_from_host(kRunnerTimeline, block), DriverCode::kIoctlFail);
  EXPECT_EQ(rig.machine->mapped_extents().size(), 1U);
  rig.expect_last(CallKind::kUnregister, kUnregisterPrice);
  EXPECT_EQ(rig.driver.unregister_from_host(kRunnerTimeline, block), DriverCode::kNone);
}

TEST(MachineFaults, FailedCopiesAndFillsMoveNothing) {
  Rig rig({nth(CallKind::kCopyToDevice, 1), nth(CallKind::kCopyFromDevice, 0), nth(CallKind::kSetMemory, 0)});
  const DeviceAddr block = rig.allocate(4096);
  std::uint64_t value = 1;
  ASSERT_EQ(rig.driver.copy_to_device(kRunnerTimeline, block, &value, Bytes(8)), DriverCode::kNone);

  value = 2;
  EXPECT_EQ(rig.driver.copy_to_device(kRunnerTimeline, block, &value, Bytes(8)), DriverCode::kIoctlFail);
  rig.expect_last(CallKind::kCopyToDevice, kCopyToDevice);
  EXPECT_EQ(rig.driver.set_memory(kRunnerTimeline, block, 0xff, Bytes(8)), DriverCode::kIoctlFail);
  rig.expect_last(CallKind::kSetMemory, kSetMemory);
  EXPECT_EQ(rig.driver.copy_from_device(kRunnerTimeline, &value, block, Bytes(8)), DriverCode::kIoctlFail);
  rig.expect_last(CallKind::kCopyFromDevice, kCopyFromDevice);
  EXPECT_EQ(value, 2U);

  ASSERT_EQ(rig.driver.copy_from_device(kRunnerTimeline, &value, block, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(value, 1U);
}

TEST(MachineFaults, AnAddressCountsFromTheStartOfTheSlice) {
  Fault fault;
  fault.call = CallKind::kFree;
  fault.range = FaultRange{4096, 4096};  // the second page of ordinary memory
  Rig rig({fault});
  const DeviceAddr first = rig.allocate(4000);
  const DeviceAddr second = rig.allocate(4000);
  ASSERT_EQ(rig.machine->relative(first), 0U);
  ASSERT_EQ(rig.machine->relative(second), 4096U);
  EXPECT_EQ(rig.driver.free(kRunnerTimeline, second), DriverCode::kIoctlFail);
  EXPECT_EQ(rig.driver.free(kRunnerTimeline, first), DriverCode::kNone);
  EXPECT_EQ(rig.driver.free(kRunnerTimeline, DeviceAddr(4096)), DriverCode::kInvalidValue) << "outside the slice";
}

TEST(MachineFaults, HitsAreCountedByFaultAndLaunchesAreNoDriverCalls) {
  Fault any;
  any.index = 2;
  Rig rig({nth(CallKind::kAllocate, 5), any});
  rig.allocate(64);
  rig.machine->launch(kRunnerTimeline, Picoseconds(1), 1);
  rig.machine->charge_view_accesses(kRunnerTimeline, 1, 0);
  rig.allocate(64);
  EXPECT_EQ(rig.machine->fault_hits().failed_calls, 0U);
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(64)).code, DriverCode::kIoctlFail);
  EXPECT_EQ(rig.machine->fault_hits().failed_calls, 1U);
  EXPECT_THAT(rig.machine->fault_hits().by_fault, testing::ElementsAre(0, 1));
}

TEST(MachineFaults, APlanThatHitsNothingLeavesTheTraceAsItIs) {
  const auto digest = [](std::vector<Fault> faults) {
    Rig rig(std::move(faults));
    const DeviceAddr block = rig.allocate(4096);
    EXPECT_EQ(rig.driver.free(kRunnerTimeline, block), DriverCode::kNone);
    return rig.machine->trace_digest();
  };
  EXPECT_EQ(digest({nth(CallKind::kFree, 1)}), digest({}));
}

TEST(MachineFaults, WithoutAPlanNothingIsCounted) {
  const auto machine = make_test_machine();
  EXPECT_EQ(machine->fault_hits().failed_calls, 0U);
  EXPECT_TRUE(machine->fault_hits().by_fault.empty());
}

TEST(MachineFaults, AFailedFreeLeavesTheBlockWithoutData) {
  Rig rig({nth(CallKind::kFree, 0)});
  const DeviceAddr block = rig.allocate(4096);
  rig.machine->declare_device_without_data(block, Bytes(4096));
  EXPECT_EQ(rig.driver.free(kRunnerTimeline, block), DriverCode::kIoctlFail);
  EXPECT_FALSE(rig.machine->has_data(block, Bytes(4096)));
}

TEST(MachineFaults, ACopyOnTheDeviceIsAtTheAddressItWritesTo) {
  Fault fault;
  fault.call = CallKind::kCopyOnDevice;
  fault.range = FaultRange{4096, 4096};
  fault.code = DriverCode::kIoctlFail;
  Rig rig({fault});
  const DeviceAddr first = rig.allocate(4000);
  const DeviceAddr second = rig.allocate(4000);
  ASSERT_EQ(rig.machine->relative(second), 4096U);
  EXPECT_EQ(rig.machine->copy_on_device(kRunnerTimeline, first, second, Bytes(8)), DriverCode::kNone);
  EXPECT_EQ(rig.machine->copy_on_device(kRunnerTimeline, second, first, Bytes(8)), DriverCode::kIoctlFail);
}

TEST(MachineFaults, AClosedDeviceIsNoDriverCall) {
  Fault any;
  any.index = 1;
  any.code = DriverCode::kIoctlFail;
  Rig rig({any});
  rig.allocate(64);
  rig.machine->device_close(kRunnerTimeline);
  EXPECT_EQ(rig.machine->fault_hits().failed_calls, 0U);
  EXPECT_EQ(rig.driver.allocate(kRunnerTimeline, Bytes(64)).code, DriverCode::kIoctlFail);
}

}  // namespace
}  // namespace svmsim
