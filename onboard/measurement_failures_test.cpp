// SPDX-License-Identifier: Apache-2.0
// Measurements that fail, are refused or are stopped: what is said, and that nothing stays allocated or mapped.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "onboard/measurement.h"
#include "onboard/testing/board_fixture.h"
#include "runtime/testing/fake_driver.h"

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::DriverCode;
using svmrt::testing::CallKind;
using svmrt::testing::FakeDriver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

MeasurementPlan small_plan() {
  MeasurementPlan plan;
  plan.iterations = 6;
  plan.map_sizes = {Bytes(64), Bytes(8192)};
  plan.copy_sizes = {Bytes(16)};
  plan.access_counts = {4};
  plan.view_size = Bytes(4096);
  return plan;
}

void expect_empty(const FakeDriver& driver) {
  EXPECT_EQ(driver.live_blocks(), 0u);
  EXPECT_TRUE(driver.mappings().empty());
}

struct FailingCall {
  const char* name;
  CallKind kind;
  std::uint64_t index;
  const char* message;
};
void PrintTo(const FailingCall& call, std::ostream* out) { *out << call.name; }

class MeasureFailsAt : public testing::TestWithParam<FailingCall> {};

TEST_P(MeasureFailsAt, NamesCallBlockAndCodeAndLeavesNothing) {
  FakeDriver driver;
  driver.fail(GetParam().kind, GetParam().index, DriverCode::kBusy);
  const auto measured = measure(driver, small_plan());
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, svmrt::ErrorCode::kDriver);
  EXPECT_EQ(measured.error().driver_code, DriverCode::kBusy);
  EXPECT_THAT(measured.error().message, MatchesRegex(GetParam().message));
  // A free that was refused once is the block that stays.
  EXPECT_EQ(driver.live_blocks(), GetParam().kind == CallKind::kFree ? 1u : 0u);
  EXPECT_TRUE(driver.mappings().empty());
}
INSTANTIATE_TEST_SUITE_P(
    Calls, MeasureFailsAt,
    testing::Values(FailingCall{"allocate", CallKind::kAllocate, 6, "allocate of 8192 bytes failed with BUSY \\(13\\)"},
                    FailingCall{"register", CallKind::kRegister, 8,
                                "register_to_host of 0x[0-9a-f]+ \\(8192 bytes\\) failed with BUSY \\(13\\)"},
                    FailingCall{"unregister", CallKind::kUnregister, 3,
                                "unregister_from_host of 0x[0-9a-f]+ \\(64 bytes\\) failed with BUSY \\(13\\)"},
                    FailingCall{"copy_to", CallKind::kCopyToDevice, 5,
                                "copy_to_device of 0x[0-9a-f]+ \\(16 bytes\\) failed with BUSY \\(13\\)"},
                    FailingCall{"copy_from", CallKind::kCopyFromDevice, 0,
                                "copy_from_device of 0x[0-9a-f]+ \\(16 bytes\\) failed with BUSY \\(13\\)"},
                    FailingCall{"view", CallKind::kRegister, 14,
                                "register_to_host of 0x[0-9a-f]+ \\(4096 bytes\\) failed with BUSY \\(13\\)"},
                    FailingCall{"free", CallKind::kFree, 2,
                                "free of 0x[0-9a-f]+ \\(64 bytes\\) failed with BUSY \\(13\\)"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MeasureFailures, BlockThatStaysMappedIsNotFreedAndNamed) {
  FakeDriver driver;
  driver.fail(CallKind::kRegister, 5, DriverCode::kIoctlFail);
  driver.fail_always(CallKind::kUnregister, DriverCode::kBusy);
  const auto measured = measure(driver, small_plan());
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, HasSubstr("unregister_from_host of 0x"));
  EXPECT_EQ(driver.live_blocks(), 1u);
  EXPECT_EQ(driver.mappings().size(), 1u);
  EXPECT_EQ(driver.count(CallKind::kFree), 3u);
}

TEST(MeasureFailures, FurtherFailureOnTheWayOutIsNamedToo) {
  FakeDriver driver;
  driver.fail(CallKind::kCopyToDevice, 2, DriverCode::kIoctlFail);
  driver.fail(CallKind::kFree, 9, DriverCode::kBusy);
  const auto measured = measure(driver, small_plan());
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message,
              MatchesRegex("copy_to_device of 0x[0-9a-f]+ \\(16 bytes\\) failed with IOCRL_FAIL \\(17\\); then free of "
                           "0x[0-9a-f]+ \\(16 bytes\\) failed with BUSY \\(13\\)"));
}

TEST(MeasureFailures, ViewWithoutAnAddressIsNotTouched) {
  FakeDriver driver;
  driver.return_null_views();
  const auto measured = measure(driver, small_plan());
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, MatchesRegex("register_to_host of 0x[0-9a-f]+ \\(64 bytes\\) gave no address"));
  expect_empty(driver);
}

TEST(MeasureFailures, SizesThatDoNotFitAreLeftOut) {
  FakeDriver driver;
  MeasurementPlan plan = small_plan();
  plan.map_sizes.push_back(FakeDriver::kArena);
  plan.copy_sizes.push_back(FakeDriver::kArena);
  const auto measured = measure(driver, plan);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->maps.size(), 2u);
  EXPECT_EQ(measured->copies.size(), 1u);
  EXPECT_THAT(measured->left_out, ElementsAre("mapping of 262144 bytes: allocate answers OUT_OF_MEMORY (6)",
                                              "copies of 262144 bytes: allocate answers OUT_OF_MEMORY (6)"));
  expect_empty(driver);
}

// R7: for good, so one call says it for a size.
TEST(MeasureFailures, RefusedMappingsAreLeftOutAndCopiesMeasured) {
  FakeDriver driver;
  driver.fail_always(CallKind::kRegister, DriverCode::kNotSupport);
  const auto measured = measure(driver, small_plan());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->maps.size(), 0u);
  EXPECT_EQ(measured->copies.size(), 1u);
  EXPECT_EQ(measured->accesses.size(), 0u);
  EXPECT_THAT(measured->left_out, ElementsAre("mapping of 64 bytes: register_to_host answers NOT_SUPPORT (65534)",
                                              "mapping of 8192 bytes: register_to_host answers NOT_SUPPORT (65534)",
                                              "4 loads and stores: register_to_host answers NOT_SUPPORT (65534)"));
  EXPECT_EQ(driver.count(CallKind::kRegister), 3u);
  expect_empty(driver);
}

TEST(MeasureFailures, CopyThatIsNotSupportedIsAFailure) {
  FakeDriver driver;
  driver.fail_always(CallKind::kCopyToDevice, DriverCode::kNotSupport);
  const auto measured = measure(driver, small_plan());
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().driver_code, DriverCode::kNotSupport);
  expect_empty(driver);
}

TEST(MeasureFailures, NoIterationsAreRefusedWithoutACall) {
  FakeDriver driver;
  MeasurementPlan plan = small_plan();
  plan.iterations = 0;
  const auto measured = measure(driver, plan);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, svmrt::ErrorCode::kInvalidArgument);
  EXPECT_TRUE(driver.calls().empty());
}

using MeasureOnAFailingBoard = BoardFixture;

TEST_F(MeasureOnAFailingBoard, DeviceThatIsLostIsNamedOnceAndNotCalledAgain) {
  board_.reset({.calls_until_lost = 40});
  {
    const auto driver = make(config());
    const auto measured = measure(*driver, small_plan());
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().driver_code, DriverCode::kNoDevice);
    EXPECT_THAT(measured.error().message, HasSubstr(" failed with NO_DEVICE (1)"));
    EXPECT_THAT(measured.error().message, testing::Not(HasSubstr("; then")));
    EXPECT_TRUE(driver->device_lost());
  }
  EXPECT_EQ(board_.calls().size(), 41u);
}

TEST_F(MeasureOnAFailingBoard, CodesOfEveryFunctionLeaveNothingBehind) {
  for (const char* function : {"aclrtMalloc", "halHostRegister", "aclrtMemcpy"}) {
    board_.reset({.answers = {{function, 17}}});
    {
      const auto driver = make(config());
      EXPECT_FALSE(measure(*driver, small_plan())) << function;
    }
    expect_nothing_left();
  }
}

TEST_F(MeasureOnAFailingBoard, LibraryThatCannotMapLeavesCopies) {
  {
    const auto driver = make(with_hal("hal_without_register"));
    const auto measured = measure(*driver, small_plan());
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ(measured->copies.size(), 1u);
    ASSERT_EQ(measured->left_out.size(), 3u);
    EXPECT_THAT(measured->left_out[0], HasSubstr("register_to_host answers SYMBOL_MISSING (-3)"));
  }
  expect_nothing_left();
}

}  // namespace
}  // namespace svmsim
