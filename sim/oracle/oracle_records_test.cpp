// SPDX-License-Identifier: Apache-2.0
// What the oracle makes of single call records, told by hand: the machine itself makes no call here.
#include <gtest/gtest.h>

#include "sim/oracle/oracle.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using Outcome = Oracle::AccessOutcome;
using Rules = std::vector<std::string>;

constexpr Bytes kSize{3 * 4096};
constexpr TimelineId kRun{1};

class OracleRecords : public ::testing::Test {
 protected:
  OracleRecords()
      : machine_(make_test_machine()),
        oracle_(*machine_, svmrt::Policy::kCached),
        block_(machine_->slice_base() + Bytes(0x10000)) {
    EXPECT_EQ(machine_->open_timeline(), kRun);
    oracle_.run_began(kRun);
  }

  // A call that begins when the one before it ended.
  void call(CallKind kind, DeviceAddr address, Bytes size, DriverCode code = DriverCode::kNone,
            Picoseconds cost = Picoseconds(0), TimelineId timeline = kRun) {
    oracle_.on_call({0, kind, timeline, address, size, code, now_, cost});
    now_ += cost;
  }
  void allocate() { call(CallKind::kAllocate, block_, kSize); }
  // By hand, so that it needs no access.
  void map() {
    oracle_.asked_to_register(kRun, block_);
    call(CallKind::kRegister, block_, kSize);
  }
  void unmap(DriverCode code = DriverCode::kNone) { call(CallKind::kUnregister, block_, Bytes(0), code); }
  void free(DriverCode code = DriverCode::kNone) { call(CallKind::kFree, block_, Bytes(0), code); }

  // Around an access of 4 bytes.
  void begin() { oracle_.access_begins(kRun, block_, Bytes(4)); }
  void end(DeviceAddr at, Outcome outcome) { oracle_.access_ended({kRun, at, Bytes(4)}, outcome); }

  Rules broken() const {
    Rules rules;
    for (const Violation& violation : oracle_.violations()) rules.push_back(violation.rule);
    return rules;
  }

  std::unique_ptr<Machine> machine_;
  Oracle oracle_;
  DeviceAddr block_;
  Picoseconds now_;
};

TEST_F(OracleRecords, I2FreeWhileOnlyTheLastPageIsMappedIsCaught) {
  allocate();
  call(CallKind::kRegister, block_ + Bytes(2 * 4096), Bytes(4096));
  free();
  EXPECT_EQ(broken(), (Rules{"I1", "I2"}));  // the register was nobody's wish
}

TEST_F(OracleRecords, I2FreeBesideAMappedNeighbourIsFine) {
  allocate();
  call(CallKind::kAllocate, block_ + kSize, kSize);
  oracle_.asked_to_register(kRun, block_ + kSize);
  call(CallKind::kRegister, block_ + kSize, kSize);
  free();
  EXPECT_EQ(broken(), Rules{});
}

TEST_F(OracleRecords, I3UnmapThatSucceedsWhereNothingIsMappedIsCaught) {
  allocate();
  unmap();
  EXPECT_EQ(broken(), Rules{"I3"});
}

TEST_F(OracleRecords, CloseEndsMappingsAndBlocks) {
  allocate();
  map();
  call(CallKind::kClose, DeviceAddr(), Bytes(0));
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), Rules{});
  allocate();
  free();
  EXPECT_EQ(broken(), Rules{});
}

class OracleCopyFailures : public OracleRecords, public ::testing::WithParamInterface<CallKind> {};
INSTANTIATE_TEST_SUITE_P(Both, OracleCopyFailures, ::testing::Values(CallKind::kSetMemory, CallKind::kCopyOnDevice));

TEST_P(OracleCopyFailures, I6FailedSetMemoryOrCopyOnTheDeviceCountsAsACopyFailure) {
  call(GetParam(), block_, Bytes(8), DriverCode::kParaError);
  svmrt::DriverFailures counted;
  counted.copy = 1;
  oracle_.finalized({}, counted);
  EXPECT_EQ(broken(), Rules{});
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), Rules{"I6"});
}

TEST_F(OracleRecords, I6FailedFreeThatNobodyReportsIsCaught) {
  allocate();
  free(DriverCode::kBusy);
  svmrt::DriverFailures counted;
  counted.free = 1;
  const std::vector<svmrt::QuarantinedBlock> reported = {{block_, kSize, DriverCode::kBusy, "free failed"}};
  oracle_.finalized(reported, counted);
  EXPECT_EQ(broken(), Rules{});
  oracle_.finalized({}, counted);
  EXPECT_EQ(broken(), (Rules{"I8", "I6"}));
}

TEST_F(OracleRecords, I6UnregisterThatSucceededInTheEndNeedsNoReport) {
  allocate();
  map();
  unmap(DriverCode::kBusy);
  unmap();
  svmrt::DriverFailures counted;
  counted.unregister = 1;
  oracle_.finalized({}, counted);
  EXPECT_EQ(broken(), Rules{"I8"});  // for the block, which is still there
}

TEST_F(OracleRecords, NameIsForgottenWithItsBlock) {
  allocate();
  oracle_.name_child_memory(block_, kSize, "table");
  free();
  allocate();
  begin();
  end(block_, Outcome::kSucceeded);  // of a staged tensor now
  EXPECT_EQ(broken(), Rules{});
  unmap();
  ASSERT_EQ(broken(), Rules{"I3"});
  EXPECT_EQ(oracle_.violations()[0].allocation, "svm+0x10000");
}

TEST_F(OracleRecords, NameOutlivesAFailedFree) {
  allocate();
  oracle_.name_child_memory(block_, kSize, "table");
  free(DriverCode::kBusy);
  unmap();
  ASSERT_EQ(broken(), Rules{"I3"});
  EXPECT_EQ(oracle_.violations()[0].allocation, "table");
}

TEST_F(OracleRecords, I7DriverCallWhileTheDriverIsBusyIsCaught) {
  const auto set_memory = [&](std::uint64_t begin) {
    oracle_.on_call(
        {0, CallKind::kSetMemory, kRun, block_, Bytes(8), DriverCode::kNone, Picoseconds(begin), Picoseconds(10)});
  };
  set_memory(0);
  set_memory(10);
  EXPECT_EQ(broken(), Rules{});
  set_memory(19);
  ASSERT_EQ(broken(), Rules{"I7"});
  EXPECT_NE(oracle_.violations()[0].message.find("busy until 20 ps"), std::string::npos);
}

TEST_F(OracleRecords, I7LaunchAndViewAccessesRunBesideTheDriver) {
  for (const CallKind kind : {CallKind::kSetMemory, CallKind::kLaunch, CallKind::kViewAccesses}) {
    oracle_.on_call({0, kind, kRun, block_, Bytes(8), DriverCode::kNone, Picoseconds(0), Picoseconds(10)});
  }
  EXPECT_EQ(broken(), Rules{});
}

TEST_F(OracleRecords, I7TimeOfABindHasTheWaitForAnothersCallInIt) {
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(7), kRunnerTimeline);
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(5), kRun);
  oracle_.bind_ended(kRun, 0, Picoseconds(7 + 5));
  EXPECT_EQ(broken(), Rules{});
}

TEST_F(OracleRecords, I7WaitThatNoOtherCallExplainsIsCaught) {
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(7), kRunnerTimeline);
  now_ += Picoseconds(1);
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(5), kRun);
  EXPECT_EQ(broken(), Rules{"I7"});
}

TEST_F(OracleRecords, I7CallsOfTheRunnerAndOfOtherRunsTakeNoPartInTheTimeOfABind) {
  const TimelineId other = machine_->open_timeline();
  oracle_.run_began(other);
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(5), kRun);
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(7), kRunnerTimeline);
  call(CallKind::kSetMemory, block_, Bytes(8), DriverCode::kNone, Picoseconds(9), other);
  oracle_.bind_ended(kRun, 0, Picoseconds(5));
  EXPECT_EQ(broken(), Rules{});
  oracle_.bind_ended(other, 0, Picoseconds(9));  // without the wait
  EXPECT_EQ(broken(), Rules{"I7"});
}

TEST_F(OracleRecords, I7ViewAccessesTakePartInTheTimeOfABind) {
  oracle_.begin_round(0);
  oracle_.run_began(kRun);
  call(CallKind::kViewAccesses, DeviceAddr(), Bytes(3), DriverCode::kNone, Picoseconds(300));
  oracle_.bind_ended(kRun, 0, Picoseconds(300));
  EXPECT_EQ(broken(), Rules{});
}

TEST_F(OracleRecords, I7TimeAndCopiesOfABindCountFromItsRound) {
  oracle_.name_child_memory(block_, kSize, "table");
  oracle_.begin_round(0);
  oracle_.run_began(kRun);
  begin();
  call(CallKind::kCopyFromDevice, block_, Bytes(4), DriverCode::kNone, Picoseconds(9));
  end(block_, Outcome::kSucceeded);
  oracle_.begin_round(1);
  oracle_.run_began(kRun);
  oracle_.bind_ended(kRun, 0, Picoseconds(0));
  EXPECT_EQ(broken(), Rules{});
}

TEST_F(OracleRecords, I7FailedAccessCountsWhenItCameToACopy) {
  oracle_.name_child_memory(block_, kSize, "table");
  oracle_.begin_round(0);
  oracle_.run_began(kRun);
  begin();
  end(block_, Outcome::kFailed);
  oracle_.bind_ended(kRun, 0, Picoseconds(0));
  EXPECT_EQ(broken(), Rules{});
  begin();
  call(CallKind::kCopyFromDevice, block_, Bytes(4), DriverCode::kBusy);
  end(block_, Outcome::kFailed);
  oracle_.bind_ended(kRun, 1, Picoseconds(0));
  EXPECT_EQ(broken(), Rules{});
}

}  // namespace
}  // namespace svmsim
