// SPDX-License-Identifier: Apache-2.0
// `svmsim sweep` computes its rows; here the same sizes go through a machine, call by call.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/commands.h"
#include "sim/machine/runtime_driver.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

using svmrt::kRunnerTimeline;

Json sweep(const std::string& platform, const std::optional<std::string>& sizes = std::nullopt) {
  const auto output = sweep_command(default_locations(), {platform, sizes}, OutputFormat::kJson);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return Json::parse(output->text);
}

class SweepCommand : public ::testing::TestWithParam<std::string> {};

TEST_P(SweepCommand, RowsAreWhatTheMachineChargesOrRefuses) {
  const Locations locations = default_locations();
  const auto platform = find_platform(locations, GetParam());
  ASSERT_TRUE(platform.has_value());
  const auto calibration = find_calibration(locations, *platform);
  ASSERT_TRUE(calibration.has_value());
  auto machine = Machine::create(*platform, CostModel(calibration->parameters));
  ASSERT_TRUE(machine.has_value()) << machine.error();
  RuntimeDriver driver(**machine);
  const auto spent_us = [&](auto call) {
    const Picoseconds before = driver.now_ps(kRunnerTimeline);
    EXPECT_EQ(call(), DriverCode::kNone);
    return static_cast<double>((driver.now_ps(kRunnerTimeline) - before).count()) / 1e6;
  };
  const Json document = sweep(GetParam());
  EXPECT_EQ(document["platform"], GetParam());
  ASSERT_EQ(document["rows"].size(), 10U);
  for (const Json& row : document["rows"]) {
    const Bytes bytes(row["bytes"].get<std::uint64_t>());
    const auto block = driver.allocate(kRunnerTimeline, bytes);
    ASSERT_EQ(block.code, DriverCode::kNone);
    if (row["register_us"].is_null()) {
      const bool refused = driver.register_to_host(kRunnerTimeline, block.address, bytes).code != DriverCode::kNone;
      EXPECT_TRUE(refused || !platform->host_map_path || !calibration->map_measured) << row;
      continue;
    }
    EXPECT_NEAR(row["register_us"].get<double>(),
                spent_us([&] { return driver.register_to_host(kRunnerTimeline, block.address, bytes).code; }), 0.0006)
        << row;
    EXPECT_NEAR(row["unregister_us"].get<double>(),
                spent_us([&] { return driver.unregister_from_host(kRunnerTimeline, block.address); }), 0.0006)
        << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, SweepCommand,
                         ::testing::Values("a2a3", "a2a3-64k", "a2a3-vm", "a2a3-nonidentity", "a5", "a5-map",
                                           "lenient"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SweepRows, AskedSizesComeInTheOrderAsked) {
  const Json document = sweep("a2a3", "4194304,64");
  ASSERT_EQ(document["rows"].size(), 2U);
  EXPECT_EQ(document["rows"][0]["bytes"], 4194304);
  EXPECT_EQ(document["rows"][0]["page_kind"], "huge");
  EXPECT_EQ(document["rows"][0]["pages"], 2);
  EXPECT_EQ(document["rows"][1]["page_kind"], "ordinary");
}

TEST(SweepRows, LargePageHostShowsNoPriceForOrdinaryPages) {
  const Json document = sweep("a2a3-64k", "64,4194304");
  EXPECT_TRUE(document["rows"][0]["register_us"].is_null());
  EXPECT_TRUE(document["rows"][1]["register_us"].is_number());
}

}  // namespace
}  // namespace svmsim
