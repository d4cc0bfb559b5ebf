// SPDX-License-Identifier: Apache-2.0
// The published figures of the large paged-attention case, out of the simulator.
#include <gtest/gtest.h>

#include "cli/commands.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

Json run_case1(const std::string& platform, const std::string& policy) {
  RunOptions options;
  options.scene = "paged_attention_case1_child_memory";
  options.platform = platform;
  options.policy = policy;
  options.rounds = "2";
  const auto output = run_command(default_locations(), options, OutputFormat::kJson);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return Json::parse(output->text);
}

TEST(LargeScenes, Case1ReadsItsTablesAndRebuildPaysAbout24MicrosecondsARound) {
  const Json json = run_case1("a2a3", "rebuild");
  for (const Json& round : json["per_round"]) {
    EXPECT_EQ(round["accesses"], 16384 + 256);
    EXPECT_NEAR(round["map_ns"].get<double>() + round["unmap_ns"].get<double>(), 24000, 24000 * 0.05);
  }
}

TEST(LargeScenes, Case1UnderCachedPaysTheMappingOnce) {
  const Json json = run_case1("a2a3", "cached");
  EXPECT_EQ(json["totals"]["map_calls"], 2);
  EXPECT_GT(json["per_round"][0]["map_ns"], 0.0);
  EXPECT_EQ(json["per_round"][1]["map_ns"], 0.0);
}

TEST(LargeScenes, Case1OnALargePageHostCopiesEveryAccessForAbout160Milliseconds) {
  const Json json = run_case1("a2a3-64k", "cached");
  for (const Json& round : json["per_round"]) {
    EXPECT_EQ(round["devcopy"], 16640);
    EXPECT_NEAR(round["copy_ns"].get<double>(), 160e6, 160e6 * 0.05);
  }
}

}  // namespace
}  // namespace svmsim
