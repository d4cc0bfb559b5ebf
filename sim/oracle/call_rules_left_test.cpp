// SPDX-License-Identifier: Apache-2.0
// I3 and I8 of what is left when a program ends or closes its device.
#include "sim/oracle/call_rules_fixture.h"

namespace svmsim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr DriverCode kFine = DriverCode::kNone;

TEST_F(CallRulesTest, I8TwoOfThreeMappingsLeftAreReportedOneByOne) {
  std::vector<DeviceAddr> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(alloc(kPage));                      // calls 0 to 2
  for (const DeviceAddr block : blocks) ASSERT_EQ(reg(block, Bytes(100)), kFine);  // 3 to 5
  ASSERT_EQ(unreg(blocks[1]), kFine);
  ASSERT_EQ(free(blocks[1]), kFine);
  rules_.finish();
  ASSERT_THAT(broken(), ElementsAre("I3@-1", "I8@-1", "I3@-1", "I8@-1", "I8@-1", "I8@-1"));
  EXPECT_THAT(message(1), HasSubstr("100 bytes are still mapped at exit, registered by call 3"));
  EXPECT_EQ(allocation(1), "svm+0x0");
  EXPECT_THAT(message(3), HasSubstr("registered by call 5"));
  EXPECT_EQ(allocation(3), "svm+0x2000");
  EXPECT_THAT(message(4), HasSubstr("a block of 4096 bytes, allocated by call 0, was never freed"));
  EXPECT_THAT(message(5), HasSubstr("allocated by call 2"));

  const auto& mappings = rules_.left_mappings();
  ASSERT_THAT(mappings, SizeIs(2));
  EXPECT_EQ(mappings[1].extent.base, blocks[2]);
  EXPECT_EQ(mappings[1].extent.size, kPage);
  EXPECT_EQ(mappings[1].registered_by, 5U);
  EXPECT_EQ(mappings[1].allocation, "svm+0x2000");
  const auto& left = rules_.left_blocks();
  ASSERT_THAT(left, SizeIs(2));
  EXPECT_EQ(left[0].block.base, blocks[0]);
  EXPECT_EQ(left[0].block.size, kPage);
  EXPECT_EQ(left[0].allocated_by, 0U);
}

TEST_F(CallRulesTest, I8BlockWithoutAMappingLeftIsReported) {
  alloc(k2MiB, kHugeFlag);
  rules_.finish();
  EXPECT_THAT(broken(), ElementsAre("I8@-1"));
  ASSERT_THAT(rules_.left_blocks(), SizeIs(1));
  EXPECT_EQ(rules_.left_blocks()[0].block.kind, PageKind::kHuge);
}

TEST_F(CallRulesTest, I8MappingOfABlockInTheCacheIsLeftThoughTheBlockIsNot) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kFine);
  ASSERT_EQ(free(block), kFine);  // F2
  rules_.finish();
  EXPECT_THAT(broken(), ElementsAre("I2@2", "I3@-1", "I8@-1"));
  EXPECT_THAT(rules_.left_blocks(), IsEmpty());
  EXPECT_THAT(rules_.left_mappings(), SizeIs(1));
}

TEST_F(CallRulesTest, I8RestOfAMappingThatWasDroppedInPartIsLeft) {
  const DeviceAddr left = alloc(k2MiB, kHugeFlag);
  alloc(k2MiB, kHugeFlag);
  ASSERT_EQ(reg(left, Bytes(4 << 20)), kFine);
  ASSERT_EQ(unreg(left), kFine);  // U3
  rules_.finish();
  ASSERT_THAT(broken(), ElementsAre("I8@-1", "I8@-1", "I8@-1"));
  EXPECT_THAT(message(0), AllOf(HasSubstr("2097152 bytes at svm+0x200000"), HasSubstr("that call 2 registered"),
                                HasSubstr("call 3 dropped only in part")));
  ASSERT_THAT(rules_.left_mappings(), SizeIs(1));
  EXPECT_EQ(rules_.left_mappings()[0].registered_by, 2U);
  EXPECT_EQ(rules_.left_mappings()[0].allocation, "svm+0x0");
}

// F3
TEST_F(CallRulesTest, I3MappingAtTheCloseOfTheDeviceIsReportedAndNothingIsLeftAfter) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kFine);
  close();  // 2
  ASSERT_THAT(broken(), ElementsAre("I3@2", "I8@2"));
  EXPECT_THAT(message(0), AllOf(HasSubstr("call 1 registered"), HasSubstr("call 2 closed the device")));
  EXPECT_THAT(message(1), HasSubstr("allocated by call 0, was never freed"));
  EXPECT_EQ(allocation(1), "svm+0x0");
  ASSERT_EQ(unreg(block), DriverCode::kNotExist);  // 3
  rules_.finish();
  ASSERT_THAT(broken(), ElementsAre("I3@2", "I8@2", "I3@3"));
  EXPECT_THAT(message(2), HasSubstr("call 2 closed the device and dropped"));
  EXPECT_THAT(rules_.left_blocks(), IsEmpty());
  EXPECT_THAT(rules_.left_mappings(), IsEmpty());
}

TEST_F(CallRulesTest, CloseAfterEveryFreeBreaksNoRuleNorDoesTheNextLife) {
  for (int life = 0; life < 2; ++life) {
    const DeviceAddr block = alloc(kPage);
    ASSERT_EQ(reg(block, kPage), kFine);
    ASSERT_EQ(unreg(block), kFine);
    ASSERT_EQ(free(block), kFine);
    close();
  }
  rules_.finish();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(CallRulesTest, BlockAfterACloseThatDroppedItsAddressesMappingArrivesUnmapped) {
  const DeviceAddr first = alloc(kPage);
  ASSERT_EQ(reg(first, kPage), kFine);
  close();
  const DeviceAddr second = alloc(kPage);
  ASSERT_EQ(second, first);
  ASSERT_EQ(reg(second, kPage), kFine);
  ASSERT_EQ(unreg(second), kFine);
  ASSERT_EQ(free(second), kFine);
  rules_.finish();
  EXPECT_THAT(broken(), ElementsAre("I3@2", "I8@2"));
}

TEST_F(CallRulesTest, CallsAfterTheEndAreNotSeen) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(free(block), kFine);
  rules_.finish();
  ASSERT_EQ(unreg(block), DriverCode::kNotExist);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST(CallRulesWatch, WhatWasThereBeforeTheWatchIsLeftWithoutACall) {
  const auto machine = make_test_machine();
  const DeviceAddr block = machine->mem_alloc(svmrt::kRunnerTimeline, kPage.count(), kOrdinaryFlag).address;
  ASSERT_EQ(machine->host_register(svmrt::kRunnerTimeline, block, kPage.count(), kDevSvmMapHost, 0).code, kFine);
  CallRules rules(*machine);
  rules.finish();
  ASSERT_THAT(rules.left_blocks(), SizeIs(1));
  EXPECT_EQ(rules.left_blocks()[0].allocated_by, std::nullopt);
  ASSERT_THAT(rules.left_mappings(), SizeIs(1));
  EXPECT_EQ(rules.left_mappings()[0].registered_by, std::nullopt);
  EXPECT_THAT(rules.violations(), SizeIs(2));
}

TEST(CallRulesWatch, RulesThatEndBeforeTheirMachineAreToldNothingMore) {
  const auto machine = make_test_machine();
  { const CallRules rules(*machine); }
  EXPECT_EQ(machine->mem_alloc(svmrt::kRunnerTimeline, kPage.count(), kOrdinaryFlag).code, kFine);
}

class CallRulesWithoutBooks : public CallRulesTest {
 protected:
  CallRulesWithoutBooks() : CallRulesTest(platform_of(Personality::kIdentity)) {}
};

TEST_F(CallRulesWithoutBooks, I3LeakIsReportedAndNoMappingIsLeftWhenTheDriverKeepsNone) {
  const DeviceAddr block = alloc(kPage);
  ASSERT_EQ(reg(block, kPage), kFine);
  rules_.finish();
  EXPECT_THAT(broken(), ElementsAre("I3@-1", "I8@-1"));
  EXPECT_THAT(message(1), HasSubstr("never freed"));
  EXPECT_THAT(rules_.left_mappings(), IsEmpty());
}

}  // namespace
}  // namespace svmsim
