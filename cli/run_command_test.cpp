// SPDX-License-Identifier: Apache-2.0
// What `svmsim run` reports for the paged-attention scenes, and the form in which it does.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "cli/commands.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

CommandOutput run_output(const RunOptions& options) {
  auto output = run_command(default_locations(), options, OutputFormat::kJson);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return *output;
}

Json run(const std::string& scene, const std::string& platform, const std::string& policy = "cached",
         const std::string& rounds = "5") {
  RunOptions options;
  options.scene = scene;
  options.platform = platform;
  options.policy = policy;
  options.rounds = rounds;
  return Json::parse(run_output(options).text);
}

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

const std::string kSmall1 = "paged_attention_small1_child_memory";

TEST(RunCommand, CachedMapsTheTwoControlTensorsOnceInFiveRounds) {
  const Json json = run(kSmall1, "a2a3");
  EXPECT_EQ(json["totals"]["map_calls"], 2);
  EXPECT_EQ(json["totals"]["map_refused"], 0);
  EXPECT_EQ(json["totals"]["unmap_calls"], 2);
  EXPECT_EQ(json["totals"]["devcopy"], 0);
  EXPECT_EQ(json["violations"], Json::array());
  ASSERT_EQ(json["per_round"].size(), 5U);
  for (std::size_t round = 0; round < 5; ++round) {
    EXPECT_EQ(json["per_round"][round]["round"], round);
    EXPECT_EQ(json["per_round"][round]["mappings_established"], round == 0 ? 2 : 0);
    EXPECT_EQ(json["per_round"][round]["mappings_held"], 2);
    EXPECT_EQ(json["per_round"][round]["bytes_held"], 64 + 4);
    EXPECT_EQ(json["per_round"][round]["count"], 2);
    EXPECT_EQ(json["per_round"][round]["bytes"], 64 + 4);
    EXPECT_EQ(json["per_round"][round]["accesses"], 2);
  }
}

RunOptions with_faults(const std::string& faults) {
  RunOptions options;
  options.scene = "shape_slot_child_memory";
  options.faults = faults;
  options.again = true;
  return options;
}

TEST(RunCommand, AFaultPlanAndTheSecondAttemptHaveFieldsOfTheirOwn) {
  const CommandOutput output = run_output(with_faults("unregister-fails-once"));
  EXPECT_EQ(output.exit_code, ExitCode::kFailed);
  const Json json = Json::parse(output.text);
  EXPECT_EQ(json["status"], 17);
  EXPECT_EQ(json["faults"], (Json{{"file", "unregister-fails-once"}, {"seed", 1}, {"hits", 1}}));
  EXPECT_EQ(json["again"]["status"], 0);
  EXPECT_EQ(json["again"]["result_digest"], run("shape_slot_child_memory", "a2a3")["result_digest"]);
  EXPECT_EQ(json["violations"], Json::array());
}

TEST(RunCommand, ASecondAttemptThatFailsIsAFailure) {
  RunOptions options = with_faults("device-lost");
  const auto output = run_command(default_locations(), options, OutputFormat::kTable);
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->exit_code, ExitCode::kFailed);
  EXPECT_NE(output->text.find("faults device-lost, seed 1: Every driver call fails from the eleventh on"),
            std::string::npos);
  EXPECT_NE(output->text.find("second attempt: run failed with code 1"), std::string::npos);
}

TEST(RunCommand, WithoutTheOptionsTheDocumentHasNeitherField) {
  const Json json = run("shape_slot_child_memory", "a2a3");
  EXPECT_FALSE(json.contains("faults"));
  EXPECT_FALSE(json.contains("again"));
}

TEST(RunCommand, AnUnknownFaultPlanIsRefusedAndTheKnownOnesAreNamed) {
  const auto output = run_command(default_locations(), with_faults("nowhere"), OutputFormat::kJson);
  ASSERT_FALSE(output.has_value());
  EXPECT_EQ(output.error().key, "--faults");
  EXPECT_NE(output.error().allowed.find("device-lost"), std::string::npos);
}

TEST(RunCommand, LargePageHostRefusesBothOnceAndCopiesInEveryRound) {
  const Json json = run(kSmall1, "a2a3-64k");
  EXPECT_EQ(json["totals"]["map_calls"], 0);
  EXPECT_EQ(json["totals"]["map_refused"], 2);
  EXPECT_EQ(json["totals"]["unmap_calls"], 0);
  for (const Json& round : json["per_round"]) EXPECT_EQ(round["devcopy"], 2);
  EXPECT_EQ(json["result_digest"], run(kSmall1, "a2a3")["result_digest"]);
}

TEST(RunCommand, A5MakesNoMapCallAndCopiesInEveryRound) {
  const Json json = run(kSmall1, "a5");
  EXPECT_EQ(json["totals"]["map_calls"], 0);
  EXPECT_EQ(json["totals"]["map_refused"], 0);
  for (const Json& round : json["per_round"]) EXPECT_EQ(round["devcopy"], 2);
  EXPECT_EQ(json["result_digest"], run(kSmall1, "a2a3")["result_digest"]);
}

TEST(RunCommand, RegisterAllMapsTheTwentyTensorsOfQwen) {
  const Json json = run("qwen3_14b_decode_child_memory", "a2a3", "register-all", "1");
  EXPECT_EQ(json["totals"]["map_calls"], 20);
  EXPECT_EQ(json["totals"]["unmap_calls"], 20);
  EXPECT_EQ(json["per_round"][0]["count"], 20);
  EXPECT_EQ(json["violations"], Json::array());
}

TEST(RunCommand, StagedQwenMakesNoMapCall) {
  const Json json = run("qwen3_14b_decode", "a2a3", "cached", "1");
  EXPECT_EQ(json["totals"]["map_calls"], 0);
  EXPECT_EQ(json["totals"]["map_refused"], 0);
}

TEST(RunCommand, RebuildPaysInEachRoundWhatCachedPaysOnce) {
  const Json rebuild = run(kSmall1, "a2a3", "rebuild", "3");
  const Json cached = run(kSmall1, "a2a3", "cached", "3");
  EXPECT_EQ(rebuild["totals"]["map_calls"], 6);
  for (const Json& round : rebuild["per_round"]) {
    EXPECT_EQ(round["map_ns"], cached["per_round"][0]["map_ns"]);
    EXPECT_EQ(round["mappings_held"], 0);
    EXPECT_EQ(round["host_view_close_ns"], round["unmap_ns"]);
  }
  EXPECT_EQ(cached["per_round"][1]["map_ns"], 0.0);
}

TEST(RunCommand, DocumentHasTheKeysOfTheContractInOrder) {
  const Json json = run(kSmall1, "a2a3");
  EXPECT_EQ(keys_of(json),
            (std::vector<std::string>{"scene", "platform", "policy", "rounds", "seed", "status", "orch_error_code",
                                      "trace_digest", "result_digest", "per_round", "totals", "violations"}));
  EXPECT_EQ(keys_of(json["per_round"][0]),
            (std::vector<std::string>{"round", "mappings_established", "mappings_held", "bytes_held", "count", "bytes",
                                      "devcopy", "accesses", "bind_ns", "map_ns", "unmap_ns", "copy_ns", "upload_ns",
                                      "host_view_close_ns", "device_ns"}));
  EXPECT_EQ(keys_of(json["totals"]),
            (std::vector<std::string>{"map_calls", "map_refused", "unmap_calls", "free_calls", "map_ns", "unmap_ns",
                                      "copy_ns", "upload_ns", "devcopy", "accesses"}));
  EXPECT_TRUE(std::regex_match(json["trace_digest"].get<std::string>(), std::regex("[0-9a-f]{16}")));
  EXPECT_TRUE(std::regex_match(json["result_digest"].get<std::string>(), std::regex("[0-9a-f]{16}")));
}

TEST(RunCommand, NanosecondsHaveThreePlacesAndAreNumbers) {
  RunOptions options;
  options.scene = kSmall1;
  const std::string text = run_output(options).text;
  const std::regex field("\"[a-z_]+_ns\": ([^,\n]+)");
  int fields = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), field); match != std::sregex_iterator(); ++match) {
    EXPECT_TRUE(std::regex_match((*match)[1].str(), std::regex("[0-9]+\\.[0-9]{3}"))) << match->str();
    ++fields;
  }
  EXPECT_EQ(fields, 7 + 4);
}

TEST(RunCommand, SameRunTwiceIsTheSameDocumentAndAnotherSeedIsNot) {
  RunOptions options;
  options.scene = kSmall1;
  options.rounds = "3";
  const std::string first = run_output(options).text;
  EXPECT_EQ(run_output(options).text, first);
  options.seed = "2";
  EXPECT_NE(Json::parse(run_output(options).text)["result_digest"], Json::parse(first)["result_digest"]);
}

TEST(RunCommand, TableNamesWhatWasNotMeasured) {
  RunOptions options;
  options.scene = kSmall1;
  options.platform = "a2a3-64k";
  const auto output = run_command(default_locations(), options, OutputFormat::kTable);
  ASSERT_TRUE(output.has_value());
  for (const char* words : {"predicted", "view_load", "kernel durations", "oracle: no rule broken", "seed 1"}) {
    EXPECT_NE(output->text.find(words), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace svmsim
