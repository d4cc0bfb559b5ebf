// SPDX-License-Identifier: Apache-2.0
// I4, I5, and I7 with several open runs.
#include <thread>

#include "sim/oracle/oracle_fixture.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;
using svmrt::Policy;
using ::testing::HasSubstr;

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

class OracleElsewhere : public OracleFixture {
 protected:
  static Platform platform() {
    Platform platform = test_platform();
    platform.non_identity = true;
    return platform;
  }
  OracleElsewhere() : OracleFixture(Policy::kCached, platform()) {}

  // By hand, so that it needs no access. Returns the host's address.
  std::byte* map(TimelineId run, DeviceAddr a) {
    oracle_.asked_to_register(run, a);
    const svmrt::RegisterResult mapped = driver_.register_to_host(run, a, kBlockSize);
    EXPECT_EQ(mapped.code, DriverCode::kNone);
    return static_cast<std::byte*>(mapped.host);
  }
};

TEST_F(OracleElsewhere, I5UnregisterOfTheReturnedAddressIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  const DeviceAddr returned(reinterpret_cast<std::uint64_t>(map(run, a)));
  ASSERT_NE(returned, a);
  EXPECT_NE(unreg(run, returned), DriverCode::kNone);
  ASSERT_EQ(broken(), Rules{"I5"});
  EXPECT_THAT(message(), HasSubstr("not device memory"));
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I5"});
}

TEST_F(OracleElsewhere, I4ReadThroughTheReturnedAddressIsFineAndAtAnotherOneIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  const std::byte* const view = map(run, a);
  machine_->device_bytes(a, Bytes(8))[4] = std::byte{1};
  for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{4}}) {
    oracle_.access_begins(run, a, Bytes(4));
    oracle_.access_ended({run, a, Bytes(4), false, view + wrong}, Outcome::kSucceeded);
    EXPECT_EQ(broken(), wrong == 0 ? kNothing : Rules{"I4 a"});
  }
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

TEST_F(OracleRuns, I7AnotherClaimInThatAllocationHasTheView) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  const TimelineId second = open();
  oracle_.claimed(first, a, Bytes(8));
  oracle_.claimed(first, a + Bytes(8), Bytes(8));
  access(first, a, [&] {
    EXPECT_NE(reg(first, a, Bytes(0)), DriverCode::kNone);
    EXPECT_EQ(copy(first, a), DriverCode::kNone);
  });
  access_mapping(second, a);
  access(first, a + Bytes(8));
  EXPECT_EQ(broken(), kNothing);
  access_copying(first, a + Bytes(8));
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

class CopyOnlyRuns : public OracleFixture {
 protected:
  CopyOnlyRuns() : OracleFixture(Policy::kCopyOnly) {}
};

TEST_F(CopyOnlyRuns, RunsOnTwoThreadsAreToldApart) {
  const DeviceAddr a = alloc("a");
  const TimelineId runs[] = {open(), open()};
  constexpr std::uint64_t kAccesses = 500;
  std::vector<std::thread> threads;
  for (const TimelineId run : runs) {
    threads.emplace_back([this, a, run] {
      for (std::uint64_t i = 0; i < kAccesses; ++i) access_copying(run, a + Bytes(4 * i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TimelineId run : runs) end_bind(run, kAccesses);
  EXPECT_EQ(broken(), kNothing);
}

}  // namespace
}  // namespace svmsim
