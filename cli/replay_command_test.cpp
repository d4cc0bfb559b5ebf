// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/testing/command_line.h"
#include "property_tests/scenario_file.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Replay : public ::testing::Test {
 protected:
  Replay() : path_((fs::temp_directory_path() / ("svmsim_replay_" + std::to_string(getpid()) + ".toml")).string()) {}
  ~Replay() override { fs::remove(path_); }

  void save(const Scenario& scenario) { std::ofstream(path_) << scenario_text(scenario); }
  Json error() {
    const ChildResult result = svmsim_command({"replay", path_, "--json"});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(result.errors, "");
    return Json::parse(result.output).at("error");
  }
  CommandOutput played(OutputFormat format, const Player& player) {
    const auto output = replay_command(default_locations(), path_, format, player);
    EXPECT_TRUE(output.has_value()) << output.error().message;
    return output.value_or(CommandOutput{});
  }

  // One block, written and read through a view.
  static Scenario write_and_read() {
    Scenario scenario;
    scenario.name = "write-and-read";
    scenario.operations = {{.kind = OperationKind::kAllocate, .slot = 0, .run = kRunner, .size = 4096},
                           {.kind = OperationKind::kOpenRun, .run = 0},
                           {.kind = OperationKind::kClaim, .slot = 0, .run = 0, .size = 4096},
                           {.kind = OperationKind::kWrite, .slot = 0, .run = 0, .offset = 8, .size = 2, .value = 3},
                           {.kind = OperationKind::kRead, .slot = 0, .run = 0, .offset = 7, .size = 4}};
    return scenario;
  }
  const std::string path_;
};

TEST_F(Replay, EachStepHasItsAnswerCallsAndMappings) {
  save(write_and_read());
  const ChildResult result = svmsim_command({"replay", path_, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  const Json document = Json::parse(result.output);
  EXPECT_EQ(document.at("file"), path_);
  EXPECT_EQ(document.at("name"), "write-and-read");
  EXPECT_EQ(document.at("platform"), "a2a3");
  EXPECT_EQ(document.at("policy"), "cached");
  EXPECT_EQ(document.at("operations"), 5);
  EXPECT_EQ(document.at("failure"), nullptr);
  const Json& steps = document.at("steps");
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0].at("operation"), "allocate slot 0, size 4096, the runner");
  EXPECT_EQ(steps[0].at("answer"), "ok");
  ASSERT_EQ(steps[0].at("calls").size(), 1u);
  EXPECT_EQ(steps[0].at("calls")[0].at("call"), "allocate");
  EXPECT_THAT(steps[0].at("calls")[0].at("address").get<std::string>(), HasSubstr("svm+0x"));
  EXPECT_TRUE(steps[2].at("calls").empty()) << "a claim alone calls nothing";
  EXPECT_TRUE(steps[2].at("mapped").empty());
  // The first access maps the whole block.
  ASSERT_EQ(steps[3].at("calls").size(), 1u);
  EXPECT_EQ(steps[3].at("calls")[0].at("call"), "register");
  EXPECT_EQ(steps[3].at("calls")[0].at("address"), steps[0].at("calls")[0].at("address"));
  EXPECT_EQ(steps[3].at("held"), (Json{{"count", 1}, {"bytes", 4096}}));
  ASSERT_EQ(steps[4].at("mapped").size(), 1u);
  EXPECT_EQ(steps[4].at("mapped")[0].at("address"), steps[0].at("calls")[0].at("address"));
  // (3 + i) * 0x9d + 0x35, and what nobody wrote on both sides.
  EXPECT_EQ(steps[4].at("bytes"), "??0ca9??");
  EXPECT_EQ(steps[5].at("operation"), "tear down");
  EXPECT_TRUE(steps[5].at("mapped").empty());
}

TEST_F(Replay, TextTellsTheSameStory) {
  save(write_and_read());
  const ChildResult result = svmsim_command({"replay", path_});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* const words :
       {"write-and-read: 5 operations on a2a3, policy cached", "   4  read run 0, slot 0, offset 7, size 4",
        "ok ??0ca9??", "register svm+0x", "code 0, ", "mapped: svm+0x", "   5  tear down", "every property holds"}) {
    EXPECT_THAT(result.output, HasSubstr(words));
  }
}

TEST_F(Replay, WhatWasSkippedAndWhichFaultIsAbsentAreSaid) {
  Scenario scenario = write_and_read();
  scenario.operations = {{.kind = OperationKind::kFree, .slot = 3}, {.kind = OperationKind::kFree, .slot = 4}};
  scenario.fault = "no_such_fault_here";
  save(scenario);
  const Json document = Json::parse(svmsim_command({"replay", path_, "--json"}).output);
  EXPECT_EQ(document.at("skipped"), 2);
  EXPECT_EQ(document.at("fault"), "no_such_fault_here");
  const std::string text = svmsim_command({"replay", path_}).output;
  EXPECT_THAT(text, HasSubstr("2 operations found nothing to act on"));
  EXPECT_THAT(text, HasSubstr("without the fault \"no_such_fault_here\""));
  save(write_and_read());
  EXPECT_EQ(Json::parse(svmsim_command({"replay", path_, "--json"}).output).at("skipped"), 0);
}

TEST_F(Replay, SameFilePrintsTheSameBytes) {
  save(write_and_read());
  EXPECT_EQ(svmsim_command({"replay", path_}).output, svmsim_command({"replay", path_}).output);
}

TEST_F(Replay, FailedPropertyEndsWithOneAndIsTheVerdict) {
  save(write_and_read());
  const Player player = [](const Scenario&, const std::function<void(const StepReport&)>& on_step) {
    StepReport step;
    step.operation = {.kind = OperationKind::kOpenRun};
    on_step(step);
    ScenarioResult result;
    result.failure = Failure{"bytes", 0, "differ"};
    return result;
  };
  const CommandOutput json = played(OutputFormat::kJson, player);
  EXPECT_EQ(json.exit_code, ExitCode::kFailed);
  EXPECT_EQ(Json::parse(json.text).at("failure"),
            (Json{{"property", "bytes"}, {"operation", 0}, {"message", "differ"}}));
  const CommandOutput text = played(OutputFormat::kTable, player);
  EXPECT_EQ(text.exit_code, ExitCode::kFailed);
  EXPECT_THAT(text.text, HasSubstr("fails at operation 0\n  property   bytes\n  message    differ\n"));
}

TEST_F(Replay, CrashIsShownUpToWhereItHappened) {
  save(write_and_read());
  const CommandOutput output =
      played(OutputFormat::kJson,
             [](const Scenario&, const std::function<void(const StepReport&)>& on_step) -> ScenarioResult {
               StepReport step;
               step.operation = {.kind = OperationKind::kOpenRun};
               on_step(step);
               std::abort();
             });
  EXPECT_EQ(output.exit_code, ExitCode::kFailed);
  const Json document = Json::parse(output.text);
  EXPECT_EQ(document.at("steps").size(), 1u);
  EXPECT_EQ(document.at("failure"),
            (Json{{"property", "crash"}, {"operation", 1}, {"message", "the process was killed by signal 6"}}));
}

TEST_F(Replay, UnknownPlatformListsTheKnownOnes) {
  Scenario scenario = write_and_read();
  scenario.platform = "a3";
  save(scenario);
  const Json refused = error();
  EXPECT_EQ(refused.at("file"), path_);
  EXPECT_EQ(refused.at("key"), "platform");
  EXPECT_EQ(refused.at("value"), "\"a3\"");
  EXPECT_THAT(refused.at("allowed").get<std::string>(), HasSubstr("a2a3-64k"));
  scenario.platform = std::string(100'000, 'x');
  save(scenario);
  EXPECT_LT(error().at("message").get<std::string>().size(), 1000U);
}

TEST_F(Replay, MistakeInTheFileNamesItsKey) {
  std::ofstream(path_) << "platform = \"a2a3\"\npolicy = \"cached\"\noperation = [ { do = \"leap\" } ]\n";
  EXPECT_EQ(error().at("key"), "operation[0].do");
  fs::remove(path_);
  EXPECT_EQ(error().at("value"), "no such file");
}

}  // namespace
}  // namespace svmsim
