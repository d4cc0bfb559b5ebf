// SPDX-License-Identifier: Apache-2.0
// I4, I5 and I7 with several open runs; strangers; the loss of the device.
#include "sim/oracle/oracle_fixture.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using svmrt::Policy;
using ::testing::HasSubstr;

const std::vector<std::string> kNothing;

class OracleRuns : public OracleFixture {
 protected:
  // A read or write of 4 bytes through the copies of `run`, or through nothing at all when `makes_copy` is false.
  void write(TimelineId run, DeviceAddr at, std::uint32_t told, std::uint32_t written, bool makes_copy = true) {
    oracle_.access_begins(run, at, Bytes(4));
    if (makes_copy) {
      EXPECT_EQ(driver_.copy_to_device(run, at, &written, Bytes(4)), DriverCode::kNone);
    }
    oracle_.access_ended({run, at, Bytes(4), true, &told}, Outcome::kSucceeded);
  }
  void read(TimelineId run, DeviceAddr at, std::uint32_t told) {
    oracle_.access_begins(run, at, Bytes(4));
    EXPECT_EQ(copy(run, at), DriverCode::kNone);
    oracle_.access_ended({run, at, Bytes(4), false, &told}, Outcome::kSucceeded);
  }
};

TEST_F(OracleRuns, I4ReadAndWriteOfWhatTheDeviceHoldsAreFine) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  write(run, a, 7, 7);
  read(run, a, 7);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleRuns, I4StaleReadIsCaughtWithItsByte) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  write(run, a + Bytes(8), 0x11223344, 0x11223344);
  read(run, a + Bytes(8), 0x11993344);
  ASSERT_EQ(broken(), Rules{"I4 a"});
  EXPECT_THAT(message(), HasSubstr("a read of 4 bytes"));
  EXPECT_THAT(message(), HasSubstr("byte 2 is 0x99, but the device holds 0x22"));
}

TEST_F(OracleRuns, I4WriteThatDidNotLandIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  write(run, a, 8, 9);
  ASSERT_EQ(broken(), Rules{"I4 a"});
  EXPECT_THAT(message(), HasSubstr("a write of 4 bytes"));
}

TEST_F(OracleRuns, I4StagedBytesCountToo) {
  const DeviceAddr staged = driver_.allocate(kRunnerTimeline, kBlockSize).address;
  const TimelineId run = open();
  write(run, staged, 1, 1);
  EXPECT_EQ(broken(), kNothing);
  write(run, staged, 2, 2, false);  // only in the caller's buffer
  ASSERT_EQ(oracle_.violations().size(), 1U);
  EXPECT_EQ(oracle_.violations()[0].rule, "I4");
}

TEST_F(OracleRuns, I4FailedUnknownAndDatalessAccessesAreLeftOut) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  const std::uint32_t wrong = 0xdeadbeef;
  write(run, a, 1, 1);
  oracle_.access_begins(run, a, Bytes(4));
  EXPECT_EQ(copy(run, a), DriverCode::kNone);
  oracle_.access_ended({run, a, Bytes(4), false, &wrong}, Outcome::kFailed);
  access_copying(run, a);  // bytes unknown
  machine_->declare_device_without_data(a, Bytes(8));
  read(run, a + Bytes(4), wrong);
  EXPECT_EQ(broken(), kNothing);
  read(run, a + Bytes(8), wrong);
  EXPECT_EQ(broken(), Rules{"I4 a"});
}

class ElsewhereOracle : public OracleRuns {
 protected:
  static Platform platform() {
    Platform platform = test_platform();
    platform.non_identity = true;
    return platform;
  }
  ElsewhereOracle()
      : machine_elsewhere_(make_test_machine(platform())), elsewhere_(*machine_elsewhere_, Policy::kCached) {}
  std::unique_ptr<Machine> machine_elsewhere_;
  Oracle elsewhere_;
};

TEST_F(ElsewhereOracle, I5UnregisterOfTheReturnedAddressIsCaught) {
  RuntimeDriver driver(*machine_elsewhere_);
  const DeviceAddr block = driver.allocate(kRunnerTimeline, kBlockSize).address;
  const TimelineId run = driver.open_timeline();
  elsewhere_.run_began(run);
  elsewhere_.asked_to_register(run, block);
  const svmrt::RegisterResult mapped = driver.register_to_host(run, block, kBlockSize);
  ASSERT_EQ(mapped.code, DriverCode::kNone);
  const DeviceAddr returned(reinterpret_cast<std::uint64_t>(mapped.host));
  ASSERT_NE(returned, block);
  EXPECT_EQ(driver.unregister_from_host(run, block), DriverCode::kNone);
  EXPECT_TRUE(elsewhere_.violations().empty());
  EXPECT_NE(driver.unregister_from_host(run, returned), DriverCode::kNone);
  ASSERT_EQ(elsewhere_.violations().size(), 1U);
  EXPECT_EQ(elsewhere_.violations()[0].rule, "I5");
  EXPECT_EQ(elsewhere_.violations()[0].allocation, "");
}

TEST_F(OracleRuns, I5UnregisterInsideAMappingIsCaught) {
  const DeviceAddr a = alloc("a", kBlockSize + kBlockSize);
  const TimelineId run = open();
  access_mapping(run, a, kBlockSize + kBlockSize);
  EXPECT_NE(unreg(run, a + kBlockSize), DriverCode::kNone);
  ASSERT_EQ(broken(), Rules{"I5 a"});
  EXPECT_THAT(message(), HasSubstr("inside a mapping"));
}

TEST_F(OracleRuns, I3UnregisterOfWhatWasNeverMappedOrIsUnmappedSaysWhich) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  EXPECT_NE(unreg(run, a), DriverCode::kNone);
  access_mapping(run, a);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  EXPECT_NE(unreg(run, a), DriverCode::kNone);
  ASSERT_EQ(broken(), (Rules{"I3 a", "I3 a"}));
  EXPECT_THAT(message(0), HasSubstr("never mapped"));
  EXPECT_THAT(message(1), HasSubstr("already unmapped"));
}

TEST_F(OracleRuns, I7CopiesAndTimeCountForTheRunThatMadeThem) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId first = open();
  const TimelineId second = open();
  access(first, a, [&] {
    EXPECT_NE(reg(first, a, Bytes(0)), DriverCode::kNone);
    access_mapping(second, b);  // in the middle of the other's access
    EXPECT_EQ(copy(first, a), DriverCode::kNone);
  });
  end_bind(second, 0);
  end_bind(first, 1);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleRuns, I7CopyOfAnotherRunDuringAnAccessServesNothing) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  const TimelineId second = open();
  access(first, a, [&] { EXPECT_EQ(copy(second, a), DriverCode::kNone); });
  EXPECT_EQ(broken(), Rules{"I7 a"});
}

TEST_F(OracleRuns, I7ReadThatCopiesToTheDeviceIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  const std::uint32_t value = 0;
  access(run, a, [&] { EXPECT_EQ(driver_.copy_to_device(run, a, &value, Bytes(4)), DriverCode::kNone); });
  EXPECT_EQ(broken(), Rules{"I7 a"});
}

TEST_F(OracleRuns, I7ClaimedBytesAreChildMemoryForTheirRunOnly) {
  const DeviceAddr block = driver_.allocate(kRunnerTimeline, kBlockSize).address;
  const TimelineId run = open();
  const TimelineId other = open();
  oracle_.claimed(run, block, Bytes(8));
  access(other, block);
  access(run, block + Bytes(5));  // not inside the claim as a whole
  EXPECT_TRUE(oracle_.violations().empty());
  access(run, block + Bytes(4));
  ASSERT_EQ(oracle_.violations().size(), 1U);
  EXPECT_EQ(oracle_.violations()[0].rule, "I7");
}

TEST_F(OracleRuns, I7CopyBesideAViewIsFineForAClaimThatACopyServedBefore) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  const TimelineId second = open();
  oracle_.claimed(first, a, kBlockSize);
  access(first, a, [&] {
    EXPECT_NE(reg(first, a, Bytes(0)), DriverCode::kNone);
    EXPECT_EQ(copy(first, a), DriverCode::kNone);
  });
  access_mapping(second, a);
  access_copying(first, a);
  EXPECT_EQ(broken(), kNothing);
  access_copying(second, a);
  EXPECT_EQ(broken(), Rules{"I7 a"});
}

TEST_F(OracleRuns, BlockAtTheSameAddressIsNotTheOneThatTheRunAccessed) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  oracle_.claimed(run, a, kBlockSize);
  access(run, a, [&] {
    EXPECT_NE(reg(run, a, Bytes(0)), DriverCode::kNone);
    EXPECT_EQ(copy(run, a), DriverCode::kNone);
  });
  EXPECT_EQ(free(a), DriverCode::kNone);
  ASSERT_EQ(alloc("next"), a);
  driver_.close_timeline(run);
  const TimelineId other = open();
  access_mapping(other, a);
  end_bind(other);
  EXPECT_EQ(broken(), kNothing);
}

class OracleStrangers : public OracleFixture {
 protected:
  void stranger(const std::function<void()>& what) {
    oracle_.stranger_begins();
    what();
    oracle_.stranger_ended();
  }
};

TEST_F(OracleStrangers, MappingOfAStrangerNeedsNoReasonAndNoEnd) {
  const DeviceAddr a = alloc("a");
  stranger([&] { EXPECT_EQ(reg(kRunnerTimeline, a), DriverCode::kNone); });
  end_bind(open());
  EXPECT_EQ(free(a), DriverCode::kNone);  // F2
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleStrangers, MappingOfTheRuntimeAfterItIsTheRuntimes) {
  const DeviceAddr a = alloc("a");
  stranger([&] {
    EXPECT_EQ(reg(kRunnerTimeline, a), DriverCode::kNone);
    EXPECT_EQ(unreg(kRunnerTimeline, a), DriverCode::kNone);
  });
  access_mapping(open(), a);
  EXPECT_EQ(broken(), kNothing);
  EXPECT_EQ(free(a), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I2 a"});
}

TEST_F(OracleStrangers, RegisterOverAStrangersMappingFailsAndExcuses) {
  const DeviceAddr a = alloc("a");
  stranger([&] { EXPECT_EQ(reg(kRunnerTimeline, a), DriverCode::kNone); });
  const TimelineId run = open();
  access(run, a, [&] {
    EXPECT_EQ(reg(run, a), DriverCode::kParaError);  // R6
    EXPECT_EQ(copy(run, a), DriverCode::kNone);
  });
  end_bind(run, 1);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleStrangers, StrangersMappingIsNoView) {
  const DeviceAddr a = alloc("a");
  stranger([&] { EXPECT_EQ(reg(kRunnerTimeline, a), DriverCode::kNone); });
  access(open(), a);  // through the stranger's
  EXPECT_EQ(broken(), Rules{"I7 a"});
}

TEST_F(OracleStrangers, UnregisterOfAStrangersMappingIsCaught) {
  const DeviceAddr a = alloc("a");
  stranger([&] { EXPECT_EQ(reg(kRunnerTimeline, a), DriverCode::kNone); });
  EXPECT_EQ(unreg(kRunnerTimeline, a), DriverCode::kNone);
  ASSERT_EQ(broken(), Rules{"I3 a"});
  EXPECT_THAT(message(), HasSubstr("somebody else"));
}

TEST_F(OracleStrangers, MappingThatAStrangerDroppedIsOwedNoMore) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  stranger([&] { EXPECT_EQ(unreg(kRunnerTimeline, a), DriverCode::kNone); });
  end_bind(run);
  EXPECT_NE(unreg(kRunnerTimeline, a), DriverCode::kNone);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleStrangers, BlocksAndFailuresOfAStrangerAreNotTheRuntimes) {
  stranger([&] {
    EXPECT_EQ(driver_.allocate(kRunnerTimeline, kBlockSize).code, DriverCode::kNone);
    EXPECT_NE(copy(kRunnerTimeline, DeviceAddr(4096)), DriverCode::kNone);
    EXPECT_NE(unreg(kRunnerTimeline, machine_->slice_base()), DriverCode::kNone);
  });
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), kNothing);
  EXPECT_NE(copy(kRunnerTimeline, DeviceAddr(4096)), DriverCode::kNone);
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), Rules{"I6"});
}

TEST_F(OracleStrangers, TimeOfAStrangerOnARunMayBeReportedOrNot) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  const Picoseconds began = driver_.now_ps(run);
  stranger([&] { EXPECT_EQ(copy(run, a), DriverCode::kNone); });
  const Picoseconds stranger_time = driver_.now_ps(run) - began;
  access_mapping(run, a);
  const Picoseconds all = driver_.now_ps(run) - began;
  oracle_.bind_ended(run, 0, all);
  oracle_.bind_ended(run, 0, all - stranger_time);
  EXPECT_EQ(broken(), kNothing);
  oracle_.bind_ended(run, 0, stranger_time);
  EXPECT_EQ(broken(), Rules{"I7"});
}

class OracleDeviceLoss : public OracleFixture {};

TEST_F(OracleDeviceLoss, WhatLivedIsForgottenAndBindsEndInPeace) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  access_mapping(run, a);
  access(run, b, [&] {
    EXPECT_NE(reg(run, b, Bytes(0)), DriverCode::kNone);
    EXPECT_EQ(copy(run, b), DriverCode::kNone);
  });
  oracle_.device_lost();
  access(run, a);  // through the view that the run has
  access(run, b, {}, Outcome::kFailed);
  machine_->charge_view_accesses(run, 2, 0);
  end_bind(run, 1);
  svmrt::DriverFailures counted;
  counted.register_to_host = 1;
  oracle_.finalized({}, counted);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleDeviceLoss, CallAfterItIsCaughtUntilThereIsANewRunner) {
  const DeviceAddr a = alloc("a");
  oracle_.device_lost();
  EXPECT_EQ(copy(kRunnerTimeline, a), DriverCode::kNone);
  ASSERT_EQ(broken(), Rules{"I8 a"});
  EXPECT_THAT(message(), HasSubstr("after the device was lost"));
  oracle_.runner_began();
  EXPECT_EQ(copy(kRunnerTimeline, a), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I8 a"});
}

TEST_F(OracleDeviceLoss, StrangerMayCallAfterIt) {
  const DeviceAddr a = alloc("a");
  oracle_.device_lost();
  oracle_.stranger_begins();
  EXPECT_EQ(free(a), DriverCode::kNone);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(OracleDeviceLoss, NewRunnerOwnsOnlyItsOwnAndCountsAnew) {
  const DeviceAddr a = alloc("a");
  access_mapping(open(), a);
  EXPECT_NE(copy(kRunnerTimeline, DeviceAddr(4096)), DriverCode::kNone);
  oracle_.device_lost();
  oracle_.runner_began();
  const DeviceAddr b = alloc("b");
  access_mapping(open(), b);
  oracle_.finalized({}, {});
  EXPECT_EQ(broken(), (Rules{"I3 b", "I8 b", "I8 b"}));
}

}  // namespace
}  // namespace svmsim
