// SPDX-License-Identifier: Apache-2.0
// What strangers do, and the loss of the device.
#include "sim/oracle/oracle_fixture.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using ::testing::HasSubstr;

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
  access(run, a);  // the run still has its view
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
