// SPDX-License-Identifier: Apache-2.0
// I2 and I3 while the program runs: correct programs and a planted bug per rule.
#include "sim/oracle/call_rules.h"

#include "sim/oracle/call_rules_fixture.h"

namespace svmsim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DriverCode kNone = DriverCode::kNone;

TEST_F(CallRulesTest, CorrectProgramBreaksNoRule) {
  const DeviceAddr small = alloc(kPage);
  const DeviceAddr huge = alloc(k2MiB, kHugeFlag);
  ASSERT_EQ(reg(small, kPage), kNone);
  ASSERT_EQ(reg(huge, Bytes(8)), kNone);
  ASSERT_EQ(unreg(small), kNone);
  ASSERT_EQ(free(small), kNone);
  ASSERT_EQ(unreg(huge), kNone);
  ASSERT_EQ(free(huge), kNone);
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_THAT(rules_.left_blocks(), IsEmpty());
  EXPECT_THAT(rules_.left_mappings(), IsEmpty());
}

TEST_F(CallRulesTest, ThreeHundredMapsOfOneBlockAreFine) {
  const DeviceAddr block = alloc(kPage);
  for (int round = 0; round < 300; ++round) {
    ASSERT_EQ(reg(block, kPage), kNone);
    ASSERT_EQ(unreg(block), kNone);
  }
  ASSERT_EQ(free(block), kNone);
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, ThreeHundredLivesAtOneAddressAreFine) {
  for (int round = 0; round < 300; ++round) {
    const DeviceAddr block = alloc(kPage);
    ASSERT_EQ(reg(block, kPage), kNone);
    ASSERT_EQ(unreg(block), kNone);
    ASSERT_EQ(free(block), kNone);
  }
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, RefusedRegisterAndSecondFreeBreakNoRule) {
  const DeviceAddr block = alloc(kPage);
  EXPECT_EQ(reg(block, Bytes(0)), DriverCode::kParaError);
  ASSERT_EQ(reg(block, kPage), kNone);
  EXPECT_EQ(reg(block, kPage), DriverCode::kParaError);  // R6
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(free(block), kNone);
  EXPECT_EQ(free(block), DriverCode::kInvalidValue);
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, UnregisterThatIsRefusedAndRetriedBreaksNoRule) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kNone);
  EXPECT_EQ(unreg(block, 5), DriverCode::kNotExist);  // U1: not the block's device
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(free(block), kNone);
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, I2FreedBlockComesBackMappedAndRefusesItsFirstRegister) {
  const DeviceAddr first = alloc(kPage);        // call 0
  ASSERT_EQ(reg(first, kPage), kNone);          // 1
  ASSERT_EQ(free(first), kNone);                // 2
  const DeviceAddr second = alloc(Bytes(100));  // 3
  ASSERT_EQ(second, first);
  ASSERT_EQ(reg(second, Bytes(100)), DriverCode::kParaError);  // 4
  ASSERT_THAT(broken(), ElementsAre("I2@2", "I2@3", "I2@4"));
  EXPECT_THAT(message(0), AllOf(HasSubstr("the block of 4096 bytes of call 0"), HasSubstr("call 1 registered"),
                                HasSubstr("said 0 (NONE): the block is in the driver's cache, still mapped")));
  EXPECT_THAT(message(1), AllOf(HasSubstr("the block of 100 bytes of call 3 arrives mapped"), HasSubstr("of call 0"),
                                HasSubstr("call 2 freed"), HasSubstr("a register over it will say 8")));
  EXPECT_THAT(message(2), AllOf(HasSubstr("refused with 8 (PARA_ERROR)"), HasSubstr("call 1 registered")));
  EXPECT_EQ(allocation(0), "svm+0x0");
  EXPECT_EQ(allocation(2), "svm+0x0");
}

TEST_F(CallRulesTest, I2RegisterRefusedForAnotherReasonIsNoConsequence) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kNone);
  ASSERT_EQ(free(block), kNone);
  ASSERT_EQ(machine_->host_register(svmrt::kRunnerTimeline, block, kPage.count(), kMapTypeEnd, 0).code,
            DriverCode::kNotSupport);
  EXPECT_THAT(broken(), ElementsAre("I2@2"));
}

TEST_F(CallRulesTest, I2FreeWhileOnlyTheLastPageIsMappedIsCaught) {
  const DeviceAddr block = alloc(Bytes(3 * 4096));
  ASSERT_EQ(reg(block + Bytes(2 * 4096), kPage), kNone);
  ASSERT_EQ(free(block), kNone);
  EXPECT_THAT(broken(), ElementsAre("I2@2"));
}

TEST_F(CallRulesTest, I2FreeBesideAMappedNeighbourIsFine) {
  const DeviceAddr block = alloc(kPage);
  const DeviceAddr neighbour = alloc(kPage);
  ASSERT_EQ(neighbour, block + kPage);
  ASSERT_EQ(reg(neighbour, kPage), kNone);
  ASSERT_EQ(free(block), kNone);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, I2RefusedFreeOfALargeBlockIsCaughtAndItsRetryIsFine) {
  const DeviceAddr block = alloc(kAbove512MiB, kHugeFlag);
  ASSERT_EQ(reg(block, k2MiB), kNone);
  ASSERT_EQ(free(block), DriverCode::kIoctlFail);  // F2
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(free(block), kNone);
  rules_.finish();
  ASSERT_THAT(broken(), ElementsAre("I2@2"));
  EXPECT_THAT(message(0), HasSubstr("said 17 (IOCRL_FAIL): refused, block and mapping stay"));
}

TEST_F(CallRulesTest, I2FreeOfABlockThatAnothersMappingRunsIntoIsCaught) {
  const DeviceAddr left = alloc(kPage);
  const DeviceAddr right = alloc(kPage);
  ASSERT_EQ(reg(left, Bytes(2 * 4096)), kNone);  // R5: past its block's end
  ASSERT_EQ(free(right), kNone);
  ASSERT_THAT(broken(), ElementsAre("I2@3"));
  EXPECT_EQ(allocation(0), "svm+0x1000");
  ASSERT_EQ(alloc(kPage), right);
  ASSERT_THAT(broken(), ElementsAre("I2@3", "I2@4"));
  EXPECT_THAT(message(1), HasSubstr("for the block of call 0 and past its end"));
}

TEST_F(CallRulesTest, I2FreeOfABlockWithTheRestOfAnothersMappingIsCaught) {
  const DeviceAddr left = alloc(k2MiB, kHugeFlag);
  const DeviceAddr right = alloc(k2MiB, kHugeFlag);
  ASSERT_EQ(right, left + k2MiB);
  ASSERT_EQ(reg(left, Bytes(4 << 20)), kNone);
  ASSERT_EQ(unreg(left), kNone);  // U3: only to the end of its segment
  ASSERT_EQ(free(right), kNone);  // 4
  ASSERT_EQ(alloc(k2MiB, kHugeFlag), right);
  ASSERT_THAT(broken(), ElementsAre("I2@4", "I2@5"));
  EXPECT_THAT(message(0), HasSubstr("a part of the mapping of 4194304 bytes that call 2 registered"));
  EXPECT_THAT(message(1), HasSubstr("arrives mapped"));
}

TEST_F(CallRulesTest, I3SecondUnregisterNamesTheFirst) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kNone);
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(unreg(block), DriverCode::kNotExist);
  ASSERT_THAT(broken(), ElementsAre("I3@3"));
  EXPECT_THAT(message(0), AllOf(HasSubstr("11 (NOT_EXIST)"), HasSubstr("call 2 unregistered"),
                                HasSubstr("that call 1 registered before")));
}

TEST_F(CallRulesTest, I3UnregisterOfWhatWasNeverMappedIsCaught) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(unreg(block), DriverCode::kNotExist);
  ASSERT_THAT(broken(), ElementsAre("I3@1"));
  EXPECT_THAT(message(0), HasSubstr("nothing is mapped there"));
  EXPECT_EQ(allocation(0), "svm+0x0");
}

TEST_F(CallRulesTest, CallsOutsideDeviceMemoryAreNotLookedAt) {
  for (const DeviceAddr outside : {DeviceAddr(), DeviceAddr(machine_->slice_base().value() - 1)}) {
    ASSERT_NE(unreg(outside), kNone);
    ASSERT_NE(reg(outside, kPage), kNone);
    ASSERT_NE(free(outside), kNone);
  }
  EXPECT_THAT(broken(), IsEmpty());
  ASSERT_NE(unreg(machine_->slice_base()), kNone);
  EXPECT_THAT(broken(), ElementsAre("I3@6"));
}

TEST_F(CallRulesTest, I3UnregisterInsideAMappingNamesItsStart) {
  const DeviceAddr block = alloc(Bytes(2 * 4096));
  ASSERT_EQ(reg(block, Bytes(2 * 4096)), kNone);
  ASSERT_EQ(unreg(block + kPage), DriverCode::kNotExist);
  ASSERT_THAT(broken(), ElementsAre("I3@2"));
  EXPECT_THAT(message(0), AllOf(HasSubstr("call 1 registered at svm+0x0"), HasSubstr("only the start")));
}

TEST_F(CallRulesTest, I3UnregisterThatDropsAnEarlierOwnersMappingIsCaught) {
  const DeviceAddr first = alloc(kPage);
  ASSERT_EQ(reg(first, kPage), kNone);
  ASSERT_EQ(free(first), kNone);
  ASSERT_EQ(alloc(kPage), first);
  ASSERT_EQ(unreg(first), kNone);  // U4
  ASSERT_THAT(broken(), ElementsAre("I2@2", "I2@3", "I3@4"));
  EXPECT_THAT(message(2), AllOf(HasSubstr("call 0, which call 2 freed"), HasSubstr("block of call 3 now")));
}

TEST_F(CallRulesTest, I3OwnUnregisterAfterAnothersStaleOneNamesIt) {
  const DeviceAddr first = alloc(kPage);
  ASSERT_EQ(reg(first, kPage), kNone);
  ASSERT_EQ(unreg(first), kNone);
  ASSERT_EQ(free(first), kNone);
  ASSERT_EQ(alloc(kPage), first);
  ASSERT_EQ(reg(first, kPage), kNone);             // 5
  ASSERT_EQ(unreg(first), kNone);                  // 6, of the first owner, too late (U4)
  ASSERT_EQ(unreg(first), DriverCode::kNotExist);  // 7
  ASSERT_THAT(broken(), ElementsAre("I3@7"));
  EXPECT_THAT(message(0), AllOf(HasSubstr("call 6 unregistered"), HasSubstr("call 5 registered")));
}

TEST_F(CallRulesTest, I3MapOfAFreedBlockIsCaught) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(free(block), kNone);
  ASSERT_EQ(reg(block, kPage), kNone);  // R10: it is in the cache
  ASSERT_THAT(broken(), ElementsAre("I3@2"));
  ASSERT_EQ(alloc(kPage), block);
  ASSERT_THAT(broken(), ElementsAre("I3@2", "I2@3"));
  EXPECT_THAT(message(1), HasSubstr("when no block was there"));
}

TEST_F(CallRulesTest, I3MappingThatWentWithItsIdleHeapIsReportedAsDroppedSilently) {
  const DeviceAddr small = alloc(k2MiB, kHugeFlag);
  alloc(kAbove512MiB, kHugeFlag);
  ASSERT_EQ(reg(small, k2MiB), kNone);
  ASSERT_EQ(free(small), kNone);  // F2a
  ASSERT_THAT(broken(), ElementsAre("I2@3", "I3@3"));
  EXPECT_THAT(message(0), HasSubstr("the mapping is gone with the block"));
  EXPECT_THAT(message(1), AllOf(HasSubstr("call 2 registered"), HasSubstr("silently")));
  ASSERT_EQ(unreg(small), DriverCode::kParaError);
  ASSERT_THAT(broken(), ElementsAre("I2@3", "I3@3", "I3@4"));
  EXPECT_THAT(message(2), HasSubstr("silently"));
}

TEST_F(CallRulesTest, I3MappingThatGoesWithItsIdleHeapLaterIsReportedWhenItShows) {
  const DeviceAddr small = alloc(k2MiB, kHugeFlag);
  ASSERT_EQ(reg(small, k2MiB), kNone);
  ASSERT_EQ(free(small), kNone);  // the only heap: stays
  const DeviceAddr large = alloc(kAbove512MiB, kHugeFlag);
  const DeviceAddr other = alloc(kPage, kHugeFlag);
  ASSERT_EQ(other, small);
  ASSERT_THAT(broken(), ElementsAre("I2@2", "I2@4"));
  ASSERT_EQ(free(other), kNone);  // 5: the heap is idle beside another (F2a)
  ASSERT_THAT(broken(), ElementsAre("I2@2", "I2@4", "I2@5"));
  ASSERT_EQ(free(large), kNone);
  rules_.finish();
  ASSERT_THAT(broken(), ElementsAre("I2@2", "I2@4", "I2@5", "I3@-1"));
  EXPECT_THAT(message(3), HasSubstr("silently after call 2 had freed its block"));
  EXPECT_THAT(rules_.left_mappings(), IsEmpty());
}

class CallRulesOnV3 : public CallRulesTest {
 protected:
  CallRulesOnV3() : CallRulesTest(platform_of(Personality::kV3)) {}
};

TEST_F(CallRulesOnV3, I2RefusedFreeIsCaughtAndItsRetryIsFine) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kNone);
  ASSERT_EQ(free(block), DriverCode::kBusy);  // F1
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(free(block), kNone);
  rules_.finish();
  ASSERT_THAT(broken(), ElementsAre("I2@2"));
  EXPECT_THAT(message(0), HasSubstr("said 13 (BUSY): refused, block and mapping stay"));
}

TEST_F(CallRulesOnV3, I3SecondUnregisterIsCaught) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kNone);
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(unreg(block), DriverCode::kParaError);
  EXPECT_THAT(broken(), ElementsAre("I3@3"));
}

class CallRulesOnIdentity : public CallRulesTest {
 protected:
  CallRulesOnIdentity() : CallRulesTest(platform_of(Personality::kIdentity)) {}
};

// A driver that refuses nothing: only the books can tell.
TEST_F(CallRulesOnIdentity, EveryBugIsCaughtThoughTheDriverSaysZero) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(unreg(block), kNone);       // 1
  ASSERT_EQ(reg(block, kPage), kNone);  // 2
  ASSERT_EQ(reg(block, kPage), kNone);  // 3
  ASSERT_EQ(free(block), kNone);        // 4
  EXPECT_THAT(broken(), ElementsAre("I3@1", "I3@3", "I2@4", "I3@4"));
  EXPECT_THAT(message(1), HasSubstr("call 2 registered was not unregistered before"));
}

TEST_F(CallRulesOnIdentity, CorrectProgramBreaksNoRule) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kNone);
  ASSERT_EQ(unreg(block), kNone);
  ASSERT_EQ(free(block), kNone);
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, I3MappingThatWentWithItsIdleHeapShowsAtTheNextAllocateOfItsAddress) {
  const DeviceAddr small = alloc(k2MiB, kHugeFlag);
  ASSERT_EQ(reg(small, k2MiB), kNone);
  ASSERT_EQ(free(small), kNone);  // the only heap: stays
  alloc(kAbove512MiB, kHugeFlag);
  ASSERT_EQ(alloc(kPage, kHugeFlag), small);
  ASSERT_EQ(free(small), kNone);  // 5: F2a
  ASSERT_EQ(alloc(k2MiB, kHugeFlag), small);
  ASSERT_THAT(broken(), ElementsAre("I2@2", "I2@4", "I2@5", "I3@6"));
}

TEST_F(CallRulesTest, I2FreeWithTheRestOfAnothersMappingIsCaughtAfterAMappingOfItsOwn) {
  const DeviceAddr left = alloc(k2MiB, kHugeFlag);
  const DeviceAddr right = alloc(k2MiB, kHugeFlag);
  ASSERT_EQ(right, left + k2MiB);
  ASSERT_EQ(reg(right, k2MiB), kNone);
  ASSERT_EQ(unreg(right), kNone);
  ASSERT_EQ(reg(left, Bytes(4 << 20)), kNone);
  ASSERT_EQ(unreg(left), kNone);  // U3: only to the end of its segment
  ASSERT_EQ(free(right), kNone);  // 6
  ASSERT_THAT(broken(), ElementsAre("I2@6"));
}

}  // namespace
}  // namespace svmsim
