// SPDX-License-Identifier: Apache-2.0
// What is timed, how often, on which blocks.
#include "onboard/measurement.h"

#include <gmock/gmock.h>

#include <map>

#include "onboard/testing/board_fixture.h"
#include "runtime/testing/fake_driver.h"
#include "runtime/testing/test_support.h"

namespace svmsim {
namespace {

using svmrt::Bytes;
using svmrt::Picoseconds;
using svmrt::testing::CallKind;
using svmrt::testing::FakeCall;
using svmrt::testing::FakeDriver;
using testing::ElementsAre;

std::vector<Picoseconds> picoseconds(const std::vector<std::uint64_t>& counts) {
  std::vector<Picoseconds> times;
  times.reserve(counts.size());
  for (const std::uint64_t count : counts) times.emplace_back(count);
  return times;
}

TEST(CallTimesOf, IterationsAreTimesThatWereMeasured) {
  const CallTimes one = call_times(picoseconds({7}));
  EXPECT_EQ(one.min, Picoseconds(7));
  EXPECT_EQ(one.median, Picoseconds(7));
  EXPECT_EQ(one.p99, Picoseconds(7));
  const CallTimes even = call_times(picoseconds({40, 10, 30, 20}));
  EXPECT_EQ(even.min, Picoseconds(10));
  EXPECT_EQ(even.median, Picoseconds(20));
  EXPECT_EQ(even.p99, Picoseconds(40));
}

TEST(CallTimesOf, NinetyNineOfAHundredAreAtMostThePercentile) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t i = 1; i <= 100; ++i) counts.push_back(i);
  EXPECT_EQ(call_times(picoseconds(counts)).p99, Picoseconds(99));
  counts.push_back(101);
  EXPECT_EQ(call_times(picoseconds(counts)).p99, Picoseconds(100));
  EXPECT_EQ(call_times(picoseconds(counts)).median, Picoseconds(51));
}

TEST(PublishedPlan, SpansTheSizesOfBothPageKinds) {
  const MeasurementPlan plan = published_plan();
  EXPECT_EQ(plan.iterations, 300u);
  EXPECT_EQ(plan.map_sizes.front(), Bytes(64));
  EXPECT_EQ(plan.map_sizes.back(), Bytes(1 << 30));
  EXPECT_EQ(plan.copy_sizes.front(), Bytes(4));
  EXPECT_EQ(plan.copy_sizes.back(), Bytes(64 << 20));
  EXPECT_EQ(plan.access_counts.size(), 2u);
}

TEST(Measure, CallsAreTimedAloneAndTheRowsAreThoseOfThePlan) {
  FakeDriver driver;
  driver.set_cost(CallKind::kAllocate, Picoseconds(1'000'000));
  driver.set_cost(CallKind::kFree, Picoseconds(1'000'000));
  driver.set_cost(CallKind::kRegister, Picoseconds(11));
  driver.set_cost(CallKind::kUnregister, Picoseconds(22));
  driver.set_cost(CallKind::kCopyToDevice, Picoseconds(33));
  driver.set_cost(CallKind::kCopyFromDevice, Picoseconds(44));
  MeasurementPlan plan;
  plan.iterations = 6;
  plan.map_sizes = {Bytes(64), Bytes(8192)};
  plan.copy_sizes = {Bytes(5)};
  std::vector<std::string> steps;
  plan.progress = [&](const std::string& step) { steps.push_back(step); };
  const auto measured = measure(driver, plan);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->maps.size(), 2u);
  EXPECT_EQ(measured->maps[1].bytes, Bytes(8192));
  for (const MapTimes& row : measured->maps) {
    EXPECT_EQ(row.register_call.min, Picoseconds(11));
    EXPECT_EQ(row.register_call.p99, Picoseconds(11));
    EXPECT_EQ(row.unregister_call.median, Picoseconds(22));
  }
  ASSERT_EQ(measured->copies.size(), 1u);
  EXPECT_EQ(measured->copies[0].bytes, Bytes(5));
  EXPECT_EQ(measured->copies[0].to_device.median, Picoseconds(33));
  EXPECT_EQ(measured->copies[0].from_device.median, Picoseconds(44));
  EXPECT_THAT(measured->left_out, ElementsAre());
  EXPECT_THAT(steps, ElementsAre("mapping of 64 bytes", "mapping of 8192 bytes", "copies of 5 bytes"));
  EXPECT_EQ(driver.count(CallKind::kRegister), 12u);
  EXPECT_EQ(driver.count(CallKind::kUnregister), 12u);
  EXPECT_EQ(driver.live_blocks(), 0u);
  EXPECT_TRUE(driver.mappings().empty());
}

TEST(Measure, FourBlocksTakeTurns) {
  FakeDriver driver;
  MeasurementPlan plan;
  plan.iterations = 10;
  plan.map_sizes = {Bytes(4096)};
  ASSERT_TRUE(measure(driver, plan));
  std::map<svmrt::DeviceAddr, int> uses;
  std::vector<svmrt::DeviceAddr> order;
  for (const FakeCall& call : driver.calls()) {
    if (call.kind != CallKind::kRegister) continue;
    EXPECT_EQ(call.bytes, Bytes(4096));
    ++uses[call.address];
    order.push_back(call.address);
  }
  ASSERT_EQ(order.size(), 10u);
  EXPECT_EQ(uses.size(), 4u);
  for (std::size_t i = 4; i < order.size(); ++i) EXPECT_EQ(order[i], order[i - 4]);
}

TEST(Measure, StoresAndLoadsAreToldToTheDriver) {
  FakeDriver driver(svmrt::testing::MappingPlace::kElsewhere);  // a touch of a device address is none of memory
  MeasurementPlan plan;
  plan.iterations = 5;
  plan.access_counts = {3, 600};
  plan.view_size = Bytes(4096);
  const auto measured = measure(driver, plan);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->accesses.size(), 2u);
  EXPECT_EQ(measured->accesses[0].accesses, 3u);
  EXPECT_EQ(measured->accesses[1].accesses, 600u);
  EXPECT_EQ(driver.charged_loads(), 5u * 603u);
  EXPECT_EQ(driver.charged_stores(), 5u * 603u);
  EXPECT_EQ(driver.calls().back().kind, CallKind::kFree);
  EXPECT_EQ(driver.live_blocks(), 0u);
}

// A block that stays mapped is not freed, and can be looked into.
TEST(Measure, StoresGoThroughTheView) {
  FakeDriver driver(svmrt::testing::MappingPlace::kElsewhere);
  driver.fail_always(CallKind::kUnregister, svmrt::DriverCode::kBusy);
  MeasurementPlan plan;
  plan.iterations = 1;
  plan.access_counts = {3};
  plan.view_size = Bytes(4096);
  ASSERT_FALSE(measure(driver, plan));
  const svmrt::DeviceAddr block = driver.calls().front().address;
  std::vector<std::uint64_t> stored;
  for (std::uint64_t i = 0; i < 4; ++i) {
    stored.push_back(svmrt::testing::peek<std::uint64_t>(driver, block + Bytes(8 * i)));
  }
  EXPECT_THAT(stored, ElementsAre(1, 2, 3, 0));
}

using MeasureOnABoard = BoardFixture;

TEST_F(MeasureOnABoard, WithoutAHostMapPathOnlyCopiesAreMeasured) {
  BoardConfig a5 = config();
  a5.kind = BoardKind::kA5;
  MeasurementPlan plan;
  plan.iterations = 2;
  plan.map_sizes = {Bytes(64)};
  plan.copy_sizes = {Bytes(64)};
  plan.access_counts = {1};
  {
    const auto driver = make(a5);
    const auto measured = measure(*driver, plan);
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_EQ(measured->maps.size(), 0u);
    EXPECT_EQ(measured->copies.size(), 1u);
    EXPECT_EQ(measured->accesses.size(), 0u);
    EXPECT_THAT(measured->left_out, ElementsAre("mapping, loads and stores: there is no host-map path"));
  }
  EXPECT_EQ(board_.count("halHostRegister"), 0u);
  expect_nothing_left();
}

}  // namespace
}  // namespace svmsim
