// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/testing/command_line.h"
#include "property_tests/scenario_file.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Check : public ::testing::Test {
 protected:
  Check()
      : folder_(fs::temp_directory_path() /
                ("svmsim_check_" + std::to_string(getpid()) +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Check() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  // The document of a campaign, also in a file.
  Json document_of(std::vector<std::string> arguments, const std::string& name, int exit_code = 0) {
    arguments.insert(arguments.begin(), "check");
    arguments.push_back("--json");
    const ChildResult result = svmsim_command(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
    write(name, result.output);
    return Json::parse(result.output);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Json error_of_merge(const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"check", "--json", "--merge"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const ChildResult result = svmsim_command(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(result.errors, "");
    return Json::parse(result.output).at("error");
  }

  // A campaign whose judge fails every case in which a run is opened.
  CommandOutput failing(OutputFormat format, const CheckOptions& options) {
    const auto output = check_command(default_locations(), options, format, [](const Scenario& scenario) {
      ScenarioResult result;
      for (const Operation& operation : scenario.operations) {
        if (operation.kind == OperationKind::kOpenRun) result.failure = Failure{"answer", 0, "a run was opened"};
      }
      return result;
    });
    EXPECT_TRUE(output.has_value()) << output.error().message;
    return output.value_or(CommandOutput{});
  }

  const fs::path folder_;
};

TEST_F(Check, CampaignThatPassesReportsWhatItDid) {
  const Json document = document_of({"--cases", "20", "--seed", "5", "--first", "100"}, "a.json");
  EXPECT_EQ(document.at("seed"), 5);
  EXPECT_EQ(document.at("first"), 100);
  EXPECT_EQ(document.at("cases"), 20);
  EXPECT_EQ(document.at("platform"), nullptr);
  EXPECT_EQ(document.at("policy"), nullptr);
  EXPECT_EQ(document.at("shard"), (Json{{"count", 1}, {"indices", {0}}}));
  EXPECT_EQ(document.at("judged"), 20);
  EXPECT_EQ(document.at("complete"), true);
  EXPECT_GE(document.at("operations"), 20);
  EXPECT_EQ(document.at("coverage").size(), kLandmarks);
  EXPECT_GT(document.at("coverage").at("mapped"), 0);
  EXPECT_EQ(document.at("digest").get<std::string>().size(), 16u);
  EXPECT_EQ(document.at("failure"), nullptr);
}

TEST_F(Check, SameCommandPrintsTheSameBytesAndAnotherSeedOthers) {
  const std::vector<std::string> arguments{"check", "--cases", "30", "--json"};
  const ChildResult once = svmsim_command(arguments);
  EXPECT_EQ(once.output, svmsim_command(arguments).output);
  EXPECT_NE(Json::parse(once.output).at("digest"),
            document_of({"--cases", "30", "--seed", "2"}, "b.json").at("digest"));
}

TEST_F(Check, TableNamesSeedCasesCoverageAndDigest) {
  const ChildResult result = svmsim_command({"check", "--cases", "12", "--shard", "1/2"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* const words : {"seed       1", "cases      0 to 11, shards: 1 of 2", "judged     6 cases", "digest",
                                  "mapped", "device_lost_in_run", "no property failed"}) {
    EXPECT_THAT(result.output, HasSubstr(words));
  }
  // One batch, so one line; a line that is written over is for terminals.
  EXPECT_THAT(result.errors, HasSubstr("6 of 6 cases"));
  EXPECT_THAT(result.errors, Not(HasSubstr("\r")));
}

TEST_F(Check, ShardsMergeToTheWholeInAnyOrder) {
  const Json whole = document_of({"--cases", "40", "--first", "7"}, "whole.json");
  for (const std::string shard : {"0", "1", "2"}) {
    document_of({"--cases", "40", "--first", "7", "--shard", shard + "/3"}, shard + ".json");
  }
  // Without shard 1 nobody knows that nothing failed.
  const Json part = document_of({"--merge", path("2.json"), path("0.json")}, "part.json", 1);
  EXPECT_EQ(part.at("shard"), (Json{{"count", 3}, {"indices", {0, 2}}}));
  Json sum = document_of({"--merge", path("part.json"), path("1.json")}, "sum.json");
  EXPECT_EQ(sum.at("shard"), (Json{{"count", 3}, {"indices", {0, 1, 2}}}));
  sum["shard"] = whole.at("shard");
  EXPECT_EQ(sum, whole);
  const ChildResult table = svmsim_command({"check", "--merge", path("part.json"), path("1.json")});
  EXPECT_THAT(table.output, HasSubstr("shards: all"));
  const ChildResult lacking = svmsim_command({"check", "--merge", path("0.json")});
  EXPECT_THAT(lacking.errors, HasSubstr("only 1 of 3 shards are there"));
}

TEST_F(Check, ShardWithoutCasesSaysThatNothingWasJudged) {
  const ChildResult result = svmsim_command({"check", "--cases", "1", "--shard", "5/7"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("judged     0 cases"));
  EXPECT_THAT(result.output, HasSubstr("no case was judged"));
  EXPECT_THAT(result.output, Not(HasSubstr("no property failed")));
}

TEST_F(Check, PolicyIsNamedInOneWay) {
  EXPECT_EQ(document_of({"--cases", "2", "--policy", "budget:004096"}, "a.json").at("policy"), "budget:4096");
}

TEST_F(Check, InterruptedCampaignReportsWhatItJudged) {
  CheckOptions options;
  std::uint64_t parents = 0;
  options.cases = "10000";
  const auto output = check_command(default_locations(), options, OutputFormat::kJson, [&](const Scenario&) {
    // In the child that judges: the whole process group, as a terminal would.
    if (parents++ == 0) kill(getppid(), SIGINT);
    raise(SIGINT);
    return ScenarioResult{};
  });
  ASSERT_TRUE(output.has_value()) << output.error().message;
  EXPECT_EQ(output->exit_code, ExitCode::kFailed);
  const Json document = Json::parse(output->text);
  EXPECT_EQ(document.at("complete"), false);
  EXPECT_EQ(document.at("failure"), nullptr) << "the child judges its batch to the end";
  EXPECT_GT(document.at("judged"), 0);
  EXPECT_LT(document.at("judged"), 10000);
}

TEST_F(Check, MergeRefusesWhatDoesNotBelongTogether) {
  document_of({"--cases", "10", "--shard", "0/2"}, "a.json");
  document_of({"--cases", "10", "--shard", "1/2", "--seed", "2"}, "seed.json");
  document_of({"--cases", "11", "--shard", "1/2"}, "cases.json");
  document_of({"--cases", "10", "--shard", "1/2", "--first", "1"}, "first.json");
  document_of({"--cases", "10", "--shard", "1/3"}, "count.json");
  document_of({"--cases", "10", "--shard", "1/2", "--policy", "cached"}, "policy.json");
  document_of({"--cases", "10", "--shard", "1/2", "--platform", "a5"}, "platform.json");
  for (const std::string key : {"seed", "cases", "first", "policy", "platform"}) {
    const Json error = error_of_merge({path("a.json"), path(key + ".json")});
    EXPECT_EQ(error.at("key"), key);
    EXPECT_EQ(error.at("file"), path(key + ".json"));
  }
  EXPECT_EQ(error_of_merge({path("a.json"), path("count.json")}).at("key"), "shard.count");
  EXPECT_EQ(error_of_merge({path("a.json"), path("a.json")}).at("key"), "shard.indices");
}

TEST_F(Check, MergeNamesWhatIsWrongInADocument) {
  const Json good = document_of({"--cases", "10"}, "good.json");
  const auto error_with = [&](const std::string& pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return error_of_merge({write("bad.json", bad.dump())});
  };
  EXPECT_EQ(error_with("/seed", "one").at("key"), "seed");
  EXPECT_EQ(error_with("/seed", -1).at("value"), "-1");
  EXPECT_EQ(error_with("/cases", 0).at("key"), "cases");
  EXPECT_EQ(error_with("/platform", 7).at("key"), "platform");
  EXPECT_EQ(error_with("/complete", 1).at("key"), "complete");
  EXPECT_EQ(error_with("/coverage", nullptr).at("key"), "coverage");
  EXPECT_EQ(error_with("/coverage/mapped", "many").at("key"), "coverage.mapped");
  EXPECT_EQ(error_with("/shard/count", 0).at("key"), "shard.count");
  EXPECT_EQ(error_with("/shard/indices/0", 1).at("key"), "shard.indices");
  EXPECT_EQ(error_with("/shard", (Json{{"count", 3}, {"indices", {1, 1}}})).at("key"), "shard.indices");
  EXPECT_EQ(error_with("/shard/indices", Json::array()).at("key"), "shard.indices");
  EXPECT_EQ(error_with("/judged", 11).at("key"), "judged");
  EXPECT_EQ(error_with("/judged", 9).at("key"), "complete") << "9 of 10 are not all";
  EXPECT_EQ(error_with("/digest", "12").at("key"), "digest");
  EXPECT_EQ(error_with("/failure", Json::object()).at("key"), "failure.case");
  Json without = good;
  without.erase("judged");
  EXPECT_EQ(error_of_merge({write("bad.json", without.dump())}).at("value"), "nothing");
  for (const std::string text : {"", "{", "[1]", "no JSON"}) {
    EXPECT_EQ(error_of_merge({write("bad.json", text)}).at("file"), path("bad.json")) << text;
  }
  EXPECT_EQ(error_of_merge({path("absent.json")}).at("value"), "no such file");
  EXPECT_EQ(error_of_merge({folder_.string()}).at("value"), "a directory");
}

TEST_F(Check, MergeStandsAlone) {
  document_of({"--cases", "10"}, "a.json");
  EXPECT_EQ(svmsim_command({"check", "--merge", path("a.json"), "--seed", "1"}).exit_code, 2);
}

TEST_F(Check, TimeLimitStopsBetweenCases) {
  CheckOptions options;
  options.cases = "10000000";
  options.time = "1";
  const auto output = check_command(default_locations(), options, OutputFormat::kJson,
                                    [](const Scenario&) { return ScenarioResult{}; });
  ASSERT_TRUE(output.has_value()) << output.error().message;
  EXPECT_EQ(output->exit_code, ExitCode::kFine);
  const Json document = Json::parse(output->text);
  EXPECT_EQ(document.at("complete"), false);
  EXPECT_GT(document.at("judged"), 0);
  EXPECT_LT(document.at("judged"), 10000000);
}

TEST_F(Check, FailureIsShrunkSavedAndShownWithTheCommandsThatRepeatIt) {
  CheckOptions options;
  options.seed = "9";
  options.save = folder_.string();
  options.policy = "rebuild";
  const CommandOutput output = failing(OutputFormat::kJson, options);
  EXPECT_EQ(output.exit_code, ExitCode::kFailed);
  const Json failure = Json::parse(output.text).at("failure");
  const auto index = std::to_string(failure.at("case").get<std::uint64_t>());
  EXPECT_EQ(failure.at("property"), "answer");
  EXPECT_EQ(failure.at("message"), "a run was opened");
  EXPECT_GT(failure.at("trials"), 0);
  const std::string file = path("failing-9-" + index + ".toml");
  EXPECT_EQ(failure.at("file"), file);
  const std::string again = "svmsim check --seed 9 --first " + index + " --cases 1 --policy rebuild";
  EXPECT_EQ(failure.at("reproduce"), (Json{"svmsim replay " + file, again}));
  const auto scenario = load_scenario(file);
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message();
  EXPECT_EQ(scenario_text(*scenario), failure.at("scenario").get<std::string>());
  EXPECT_EQ(scenario->source, again);
  EXPECT_EQ(scenario->operations, (std::vector<Operation>{{.kind = OperationKind::kOpenRun}}));
  EXPECT_THAT(failure.at("code").get<std::string>(), HasSubstr("{.kind = OperationKind::kOpenRun, .run = 0},"));
}

TEST_F(Check, FailureAsTextSaysTheSame) {
  CheckOptions options;
  options.save = folder_.string();
  const std::string text = failing(OutputFormat::kTable, options).text;
  for (const char* const words :
       {"property   answer", "message    a run was opened", "operations 1 of ", "  0  open_run run 0", "written to ",
        "svmsim replay ", "svmsim check --seed 1 --first ", "TEST(FoundScenario, Failing1"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST_F(Check, FailingScenarioThatCannotBeSavedIsStillReported) {
  CheckOptions options;
  options.save = folder_.string();
  const Json first = Json::parse(failing(OutputFormat::kJson, options).text).at("failure");
  const std::string file = first.at("file");
  fs::remove(file);
  fs::create_directory(file);  // nothing can be written there
  const Json failure = Json::parse(failing(OutputFormat::kJson, options).text).at("failure");
  EXPECT_EQ(failure.at("file"), nullptr);
  EXPECT_EQ(failure.at("reproduce").size(), 1u);
  EXPECT_EQ(failure.at("scenario"), first.at("scenario"));
}

TEST_F(Check, MergedFailureIsThatOfTheLowestCase) {
  CheckOptions options;
  options.save = folder_.string();
  options.cases = "1";
  options.first = "5";
  Json failed = Json::parse(failing(OutputFormat::kJson, options).text);
  ASSERT_NE(failed.at("failure"), nullptr) << "case 5 opens no run";
  const auto document = [&](std::uint64_t shard, const Json& index) {
    Json copy = failed;
    copy["cases"] = 100;
    copy["shard"] = Json{{"count", 3}, {"indices", {shard}}};
    copy["complete"] = false;
    copy["failure"]["case"] = index;
    if (index.is_null()) copy["failure"] = nullptr;
    return write(std::to_string(shard) + ".json", copy.dump());
  };
  const std::vector<std::string> files{document(0, 60), document(1, 40), document(2, nullptr)};
  const Json sum = document_of({"--merge", files[0], files[1], files[2]}, "sum.json", 1);
  EXPECT_EQ(sum.at("failure").at("case"), 40);
  EXPECT_EQ(error_of_merge({document(0, 105)}).at("key"), "failure.case") << "cases 5 to 104";
  EXPECT_EQ(error_of_merge({document(0, 61)}).at("key"), "failure.case") << "of shard 1";
  EXPECT_EQ(sum.at("failure").at("scenario"), failed.at("failure").at("scenario"));
}

TEST_F(Check, ScenarioThatCannotBeRunIsAFailureWithoutResult) {
  const auto output = check_command(default_locations(), CheckOptions{}, OutputFormat::kJson, [](const Scenario&) {
    ScenarioResult result;
    result.error = "no address space";
    return result;
  });
  ASSERT_FALSE(output.has_value());
  EXPECT_EQ(output.error().exit_code, ExitCode::kFailed);
  EXPECT_EQ(output.error().message, "no address space");
}

}  // namespace
}  // namespace svmsim
