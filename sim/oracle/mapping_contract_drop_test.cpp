// SPDX-License-Identifier: Apache-2.0
// I1 and the counts of I3 under the policies that drop mappings while their block lives.
#include "sim/oracle/oracle_fixture.h"

namespace svmsim {
namespace {

using svmrt::Policy;
using ::testing::HasSubstr;

class RebuildContract : public OracleFixture {
 protected:
  RebuildContract() : OracleFixture(Policy::kRebuild) {}
};

TEST_F(RebuildContract, OneMapInEachRunIsFineAndTwoAreCaught) {
  const DeviceAddr a = alloc("a");
  for (int round = 0; round < 3; ++round) {
    const TimelineId run = open();
    access_mapping(run, a);
    EXPECT_EQ(unreg(run, a), DriverCode::kNone);
    end_bind(run);
  }
  EXPECT_EQ(broken(), kNothing);
  const TimelineId run = open();
  access_mapping(run, a);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  access_mapping(run, a);
  EXPECT_EQ(broken(), Rules{"I3 a"});
}

TEST_F(RebuildContract, MappingKeptPastTheBindIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_mapping(run, a);
  end_bind(run);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(RebuildContract, MappingStaysWhileAnotherOpenRunUsesItAndNoLonger) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  const TimelineId second = open();
  access_mapping(first, a);
  access(second, a);
  end_bind(first);
  EXPECT_EQ(broken(), kNothing);
  end_bind(second);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(RebuildContract, ClaimOfAnotherOpenRunKeepsNothingMapped) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  oracle_.claimed(open(), a, kBlockSize);
  access_mapping(first, a);
  end_bind(first);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(RebuildContract, AccessWithoutATryIsCaughtOnce) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  access_copying(run, a);
  access_copying(run, a);
  end_bind(run, 2);
  ASSERT_EQ(broken(), Rules{"I1 a"});
  EXPECT_THAT(message(), HasSubstr("nor tried"));
}

TEST_F(RebuildContract, RegistersByHandCountForThemselves) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  for (int i = 0; i < 2; ++i) {
    oracle_.asked_to_register(run, a);
    EXPECT_EQ(reg(run, a), DriverCode::kNone);
    EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  }
  access_mapping(run, a);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  end_bind(run);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(RebuildContract, RunThatWasServedByCopiesGoesOnSoWhenAnotherMaps) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  oracle_.claimed(first, a, kBlockSize);
  access(first, a, [&] {
    EXPECT_NE(reg(first, a, Bytes(0)), DriverCode::kNone);
    EXPECT_EQ(copy(first, a), DriverCode::kNone);
  });
  const TimelineId second = open();
  access_mapping(second, a);
  access_copying(first, a);
  EXPECT_EQ(unreg(second, a), DriverCode::kNone);
  end_bind(second);
  end_bind(first, 2);
  EXPECT_EQ(broken(), kNothing);
}

class RegisterAllContract : public OracleFixture {
 protected:
  RegisterAllContract() : OracleFixture(Policy::kRegisterAll) {}
};

TEST_F(RegisterAllContract, ClaimEntitlesToAMapWhileItsRunIsOpen) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  oracle_.claimed(run, a + Bytes(16), Bytes(8));
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  EXPECT_EQ(broken(), kNothing);
  const TimelineId other = open();
  end_bind(other);
  EXPECT_EQ(broken(), kNothing);
  end_bind(run);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(RegisterAllContract, ClaimOfAnotherAllocationOrRunEntitlesToNone) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  oracle_.claimed(run, a, kBlockSize);
  EXPECT_EQ(reg(run, b), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I1 b"});
  EXPECT_EQ(reg(open(), a), DriverCode::kNone);
  EXPECT_EQ(broken(), (Rules{"I1 b", "I1 a"}));
}

TEST_F(RegisterAllContract, SecondMapInOneBindIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  oracle_.claimed(run, a, kBlockSize);
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  EXPECT_EQ(unreg(run, a), DriverCode::kNone);
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I3 a"});
}

TEST_F(RegisterAllContract, AccessWithoutATryIsCaught) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  oracle_.claimed(run, a, kBlockSize);
  access_copying(run, a);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(RegisterAllContract, ClaimWhoseRegisterFailedAtTheBindGoesByCopiesWhenAnotherRunMaps) {
  const DeviceAddr a = alloc("a");
  const TimelineId first = open();
  const TimelineId second = open();
  oracle_.claimed(first, a, kBlockSize);
  oracle_.claimed(second, a, kBlockSize);
  EXPECT_NE(reg(first, a, Bytes(0)), DriverCode::kNone);
  EXPECT_EQ(reg(second, a), DriverCode::kNone);
  access_copying(first, a);
  EXPECT_EQ(broken(), kNothing);
  access_copying(second, a);
  EXPECT_EQ(broken(), Rules{"I7 a"});
}

TEST_F(RegisterAllContract, ClaimOfARunThatIsBoundEntitlesToNothing) {
  const DeviceAddr a = alloc("a");
  const TimelineId run = open();
  oracle_.claimed(run, a, kBlockSize);
  end_bind(run);
  EXPECT_EQ(reg(run, a), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

// Room for two blocks.
class BudgetContract : public OracleFixture {
 protected:
  explicit BudgetContract(Bytes limit = kBlockSize + kBlockSize) : OracleFixture(Policy::budget(limit)) {}
};

TEST_F(BudgetContract, HeldAtTheLimitIsFineAndAboveItIsCaught) {
  const TimelineId run = open();
  access_mapping(run, alloc("a"));
  access_mapping(run, alloc("b"));
  EXPECT_EQ(broken(), kNothing);
  access_mapping(run, alloc("c"));
  ASSERT_EQ(broken(), Rules{"I1 c"});
  EXPECT_THAT(message(), HasSubstr("12288 bytes"));
}

TEST_F(BudgetContract, WhatFitsMustBeMapped) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  access_mapping(run, a);
  access_copying(run, b);
  end_bind(run, 1);
  EXPECT_EQ(broken(), Rules{"I1 b"});
}

TEST_F(BudgetContract, WhatDoesNotFitBesideUsedMappingsIsExcusedUntilItDoes) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const DeviceAddr c = alloc("c");
  const TimelineId run = open();
  access_mapping(run, a);
  access_mapping(run, b);
  access_copying(run, c);
  end_bind(run, 1);
  EXPECT_EQ(broken(), kNothing);
  const TimelineId next = open();
  access_copying(next, c);  // what the first run used could be dropped now
  end_bind(next, 1);
  EXPECT_EQ(broken(), Rules{"I1 c"});
}

TEST_F(BudgetContract, DroppedForAnotherIsExcusedAndMayBeMappedAgain) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const DeviceAddr c = alloc("c");
  const TimelineId first = open();
  access_mapping(first, a);
  access_mapping(first, b);
  end_bind(first);
  const auto access_dropping = [&](TimelineId run, DeviceAddr wanted, DeviceAddr dropped) {
    access(run, wanted, [&] {
      EXPECT_EQ(unreg(run, dropped), DriverCode::kNone);
      EXPECT_EQ(reg(run, wanted), DriverCode::kNone);
    });
  };
  const TimelineId second = open();
  access_dropping(second, c, a);
  end_bind(second);
  const TimelineId third = open();
  access_dropping(third, a, b);
  end_bind(third);
  EXPECT_EQ(broken(), kNothing);
}

TEST_F(BudgetContract, DroppedThoughBothWouldFitIsCaught) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId first = open();
  access_mapping(first, a);
  end_bind(first);
  const TimelineId second = open();
  access(second, b, [&] {
    EXPECT_EQ(unreg(second, a), DriverCode::kNone);
    EXPECT_EQ(reg(second, b), DriverCode::kNone);
  });
  end_bind(second);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

TEST_F(BudgetContract, MappedWithoutAnAccessIsCaught) {
  const TimelineId run = open();
  EXPECT_EQ(reg(run, alloc("a")), DriverCode::kNone);
  EXPECT_EQ(broken(), Rules{"I1 a"});
}

class BudgetOneByteShort : public BudgetContract {
 protected:
  BudgetOneByteShort() : BudgetContract(kBlockSize + kBlockSize - Bytes(1)) {}
};

TEST_F(BudgetOneByteShort, SecondBlockIsExcusedWhileTheFirstIsUsed) {
  const DeviceAddr a = alloc("a");
  const DeviceAddr b = alloc("b");
  const TimelineId run = open();
  access_mapping(run, a);
  access_copying(run, b);
  end_bind(run, 1);
  EXPECT_EQ(broken(), kNothing);
}

}  // namespace
}  // namespace svmsim
