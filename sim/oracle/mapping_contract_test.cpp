// SPDX-License-Identifier: Apache-2.0
// I1 and the counts of I3 under cached and copy-only: planted bugs, and both sides of what excuses an allocation.
#include "sim/oracle/mapping_contract.h"

#include "sim/oracle/oracle_fixture.h"

namespace svmsim {
namespace {

using svmrt::Policy;
using ::testing::HasSubstr;

class CachedContract : public OracleFixture {};

TEST_F(CachedContract, AccessedAndMappedIsFineInEveryRound) {
  const DeviceAddr a = alloc("a");
  for (int round = 0; round < 2; ++round) {
    const TimelineId run = open();
    oracle_.claimed(run, a, kBlockSize);
    if (round == 0) access_mapping(run, a);
    access(run, a + Bytes(8));
    end_bind(run);
    driver_.close_timeline(run);
  }
  end_bind(open());  // it need not access what stays mapped
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(CachedContract, ClaimEntitlesToNoRegister) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  oracle_.claimed(run, a, kBlockSize);
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(CachedContract, ClaimedOnlyAndStillMappedIsCaughtAtTheEndOfTheBindToo) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  end_bind(run);
  EXPECT_EQ(broken(), (Rules{"I1 a", "I1 a"}));
}

TEST_F(CachedContract, RegisterDuringAnAccessToAnotherAllocationIsCaught) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  access(run, a, [&] {
    EXPECT_EQ(reg(run, a), DriverCode::kNone);
    EXPECT_EQ(broken(), kNothing);
    EXPECT_EQ(reg(run, b), DriverCode::kNone);
  });
  EXPECT_EQ(broken(), Rules{"I1 b"});
}

TEST_F(CachedContract, RegisterOnTheTimeOfARunThatDoesNotAccessIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  const TimelineId second = open();
  access(first, a, [&] { EXPECT_EQ(reg(second, a), DriverCode::kNone); });
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(CachedContract, AccessThatFailedLetsNothingStayMapped) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access(
      run, a, [&] { EXPECT_EQ(reg(run, a), DriverCode::kNone); }, Outcome::kFailed);
  EXPECT_EQ(broken(), kNothing);
  end_bind(run);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(CachedContract, AccessedWithoutATryIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_copying(run, a);
  end_bind(run, 1);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(CachedContract, UnmappedWithoutAFreeIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  end_bind(run);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(CachedContract, AccessBeforeAFreeBindsNobodyToTheNextBlockThere) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  end_bind(run);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  EXPECT_EQ(free(a), DriverCode::kNone);
  ASSERT_EQ(alloc("next"), a);
  end_bind(open());
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(CachedContract, SecondMapInOneLifetimeIsCaughtAndInTheNextIsFine) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  EXPECT_EQ(free(a), DriverCode::kNone);
  ASSERT_EQ(alloc("next"), a);
  access_mapping(run, a);
  EXPECT_EQ(broken(), kNothing);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  access_mapping(run, a);
  EXPECT_EQ(broken(), Rules{"I3 next"});
}

TEST_F(CachedContract, RegisterByHandMayStayMappedAndNeedNot) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  for (const DeviceAddr base : {a, b}) {
    oracle_.asked_to_register(run, base);
    EXPECT_EQ(reg(run, base), DriverCode::kNone);
  }
  EXPECT_EQ(unreg(run, b), DriverCode::kNone);
  end_bind(run);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(CachedContract, RegisterByHandEntitlesToOneCallForThatBlock) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  oracle_.asked_to_register(run, a);
  EXPECT_EQ(reg(run, b), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I1 b"});
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  EXPECT_EQ(reg(run, a), DriverCode::kParaError);  // R6
  EXPECT_EQ(broken(), (Rules{"I1 b", "I1 a"}));
}

TEST_F(CachedContract, BlockWhoseUnregisterFailedMayStayMapped) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access(
      run, a, [&] { EXPECT_EQ(reg(run, a), DriverCode::kNone); }, Outcome::kFailed);
  failing_unreg(run, a);
  end_bind(run);
  EXPECT_EQ(broken(), kNothing);
}

// The first calls of a kind fail.
class CachedContractWithFaults : public OracleFixture {
 protected:
  CachedContractWithFaults(CallKind call, DriverCode code, std::uint64_t failing_calls)
      : OracleFixture(Policy::kCached, test_platform(), options(call, code, failing_calls)) {}
  // An access of `run` that copies when the register fails.
  void failing_access(TimelineId run, DeviceAddr a) {
    access(run, a, [&] {
      EXPECT_NE(reg(run, a), DriverCode::kNone);
      EXPECT_EQ(copy(run, a), DriverCode::kNone);
    });
  }

 private:
  static MachineOptions options(CallKind call, DriverCode code, std::uint64_t failing_calls) {
    FaultPlan plan;
    for (std::uint64_t i = 0; i < failing_calls; ++i) {
      Fault fault;
      fault.call = call;
      fault.index = i;
      fault.code = code;
      plan.faults.push_back(fault);
    }
    MachineOptions options;
    options.faults = plan;
    return options;
  }
};

class RefusedRegister : public CachedContractWithFaults {
 protected:
  RefusedRegister() : CachedContractWithFaults(CallKind::kRegister, DriverCode::kNotSupport, 1) {}
};

class RegistersThatFailTwice : public CachedContractWithFaults {
 protected:
  RegistersThatFailTwice() : CachedContractWithFaults(CallKind::kRegister, DriverCode::kBusy, 2) {}
};

class FreeThatFails : public CachedContractWithFaults {
 protected:
  FreeThatFails() : CachedContractWithFaults(CallKind::kFree, DriverCode::kBusy, 1) {}
};

TEST_F(RefusedRegister, NeedsNoFurtherTry) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  failing_access(first, a);
  end_bind(first, 1);
  const TimelineId second = open();
  access_copying(second, a);
  end_bind(second, 1);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(RefusedRegister, EndsWithTheLifetime) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  failing_access(first, a);
  end_bind(first, 1);
  EXPECT_EQ(free(a), DriverCode::kNone);
  ASSERT_EQ(alloc("next"), a);
  const TimelineId second = open();
  access_copying(second, a);
  end_bind(second, 1);
  EXPECT_EQ(broken(), Rules{"I1 next"});
}

TEST_F(RegistersThatFailTwice, ExcuseUntilALaterRunAccesses) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  failing_access(first, a);
  end_bind(first, 1);
  end_bind(open());  // does not access it
  EXPECT_EQ(broken(), kNothing);
  const TimelineId third = open();
  access_copying(third, a);
  end_bind(third, 1);
  ASSERT_EQ(broken(), Rules{"I1 a"});
  EXPECT_THAT(message(), HasSubstr("did not try"));
}

TEST_F(RegistersThatFailTwice, LaterRunThatTriesAgainIsExcusedAgainOrMaps) {
  const DeviceAddr a = alloc("a");
  for (int i = 0; i < 2; ++i) {
    const TimelineId run = open();
    failing_access(run, a);
    end_bind(run, 1);
  }
  const TimelineId last = open();
  access_mapping(last, a);
  end_bind(last);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(FreeThatFails, StartsANewLifetime) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  end_bind(run);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  const TimelineId next = open();
  EXPECT_EQ(free(a), DriverCode::kBusy);
  end_bind(next);  // not accessed since
  access_mapping(open(), a);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(FreeThatFails, WhileMappedStartsNone) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  EXPECT_EQ(free(a), DriverCode::kBusy);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  access_mapping(run, a);
  EXPECT_EQ(broken(), (Rules{"I2 a", "I3 a"}));
}

class NoHostMapPath : public OracleFixture {
 protected:
  static Platform platform() {
    Platform platform = test_platform();
    platform.host_map_path = false;
    return platform;
  }
  NoHostMapPath() : OracleFixture(Policy::kCached, platform()) {}
};

TEST_F(NoHostMapPath, NothingNeedsToBeMappedAndARegisterIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_copying(run, a);
  end_bind(run, 1);
  EXPECT_EQ(broken(), kNothing);
  access_mapping(open(), a);
  ASSERT_EQ(broken(), Rules{"I1 a"});
  EXPECT_THAT(message(), HasSubstr("no host-map path"));
}

class CopyOnlyContract : public OracleFixture {
 protected:
  CopyOnlyContract() : OracleFixture(Policy::kCopyOnly) {}
};

TEST_F(CopyOnlyContract, CopiesAreFineAndAMappingIsCaughtTwice) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_copying(run, a);
  end_bind(run, 1);
  EXPECT_EQ(broken(), kNothing);
  const TimelineId next = open();
  access_mapping(next, a);
  end_bind(next);
  EXPECT_EQ(broken(), (Rules{"I3 a", "I1 a"}));
}

}  // namespace
}  // namespace svmsim
