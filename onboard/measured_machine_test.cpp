// SPDX-License-Identifier: Apache-2.0
// The measurement of a machine whose prices are known: what is timed is what a call costs and nothing else.
#include <gtest/gtest.h>

#include <memory>

#include "onboard/measurement.h"
#include "sim/machine/runtime_driver.h"
#include "sim/testing/test_machine.h"

namespace svmsim {
namespace {

void expect_all(const CallTimes& times, std::uint64_t picoseconds) {
  EXPECT_EQ(times.min, Picoseconds(picoseconds));
  EXPECT_EQ(times.median, Picoseconds(picoseconds));
  EXPECT_EQ(times.p99, Picoseconds(picoseconds));
}

TEST(MeasuredMachine, EveryTimeIsThePriceOfItsCall) {
  const std::unique_ptr<Machine> machine = make_test_machine();
  RuntimeDriver driver(*machine);
  MeasurementPlan plan;
  plan.iterations = 5;
  plan.map_sizes = {Bytes(64), Bytes(8192), Bytes(4 << 20)};
  plan.copy_sizes = {Bytes(1000)};
  plan.access_counts = {7, 256};
  const auto measured = measure(driver, plan);
  ASSERT_TRUE(measured) << measured.error().message;
  // test_costs(): a call, 1000 or 500 ps a page of the block, 10 or 20 ps a host page.
  ASSERT_EQ(measured->maps.size(), 3U);
  expect_all(measured->maps[0].register_call, 1'000'000 + 1'000 + 10);
  expect_all(measured->maps[0].unregister_call, 2'000'000 + 500 + 20);
  expect_all(measured->maps[1].register_call, 1'000'000 + 2 * 1'000 + 2 * 10);
  expect_all(measured->maps[2].register_call, 1'000'000 + 2 * 1'000 + 1024 * 10);
  expect_all(measured->maps[2].unregister_call, 2'000'000 + 2 * 500 + 1024 * 20);
  ASSERT_EQ(measured->copies.size(), 1U);
  expect_all(measured->copies[0].from_device, 9'000'000 + 1000);
  expect_all(measured->copies[0].to_device, 8'000'000 + 1000);
  ASSERT_EQ(measured->accesses.size(), 2U);
  expect_all(measured->accesses[0].loads, 7 * 100);
  expect_all(measured->accesses[1].loads, 256 * 100);
  expect_all(measured->accesses[1].stores, 256 * 30);
  EXPECT_TRUE(measured->left_out.empty());
}

}  // namespace
}  // namespace svmsim
