// SPDX-License-Identifier: Apache-2.0
// `svmsim conformance` as a user runs it: against the drop-in libraries, and against libraries that deviate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/testing/board_folder.h"
#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kDropIn = SVMSIM_DROPIN_DIR;
const std::string kFakes = SVMSIM_FAKE_LIBRARIES_DIR;

ChildResult conformance(std::vector<std::string> arguments, const EnvironmentChanges& variables = {}) {
  EnvironmentChanges changes = without_simulator_variables();
  for (const auto& [name, value] : variables) changes[name] = value;
  arguments.insert(arguments.begin(), {SVMSIM_PROGRAM, "conformance"});
  return run_child(std::move(arguments), changes);
}

const json& rule_of(const json& document, const std::string& name) {
  for (const json& rule : document.at("rules")) {
    if (rule.at("rule") == name) return rule;
  }
  ADD_FAILURE() << name;
  return document.at("rules").at(0);
}

class DropInAgrees : public ::testing::TestWithParam<std::string> {};

TEST_P(DropInAgrees, WithEveryCaseOfThePlatform) {
  const ChildResult result = conformance({"--lib", kDropIn, "--platform", GetParam(), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const json document = json::parse(result.output);
  EXPECT_EQ(document.at("library"), kDropIn + "/libascend_hal.so");
  EXPECT_EQ(document.at("platform"), GetParam());
  EXPECT_EQ(document.at("deviates"), 0);
  EXPECT_GT(document.at("agrees"), 0);
  for (const json& rule : document.at("rules")) {
    EXPECT_EQ(rule.at("verdict") == "not_applicable", !rule.at("reason").get<std::string>().empty()) << rule;
  }
  for (const json& one : document.at("cases")) EXPECT_NE(one.at("verdict"), "deviates") << one;
}
INSTANTIATE_TEST_SUITE_P(Platforms, DropInAgrees, ::testing::Values("a2a3", "a2a3-64k", "a5"), [](const auto& test) {
  return test.param == "a2a3-64k" ? std::string("a2a3_64k") : test.param;
});

TEST(ConformanceCommand, TableNamesTheRulesAndSaysHundredPerCent) {
  const ChildResult result = conformance({"--in-process"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, testing::StartsWith("the simulated driver in process, by the rules of platform a2a3\n"));
  EXPECT_THAT(result.output, testing::HasSubstr("\nconformance 100 %: "));
  EXPECT_THAT(result.output, testing::HasSubstr("\n  F1: needs personality v3, there is v2\n"));
  EXPECT_THAT(result.output, testing::HasSubstr("\n  R11: it needs a call in a forked child\n"));
  EXPECT_THAT(result.output, testing::Not(testing::HasSubstr("deviates:\n")));
}

TEST(ConformanceCommand, SimulatedDriverInProcessAnswersAsThePlatformsSay) {
  for (const std::string platform : {"a2a3", "a2a3-64k", "a2a3-vm", "a5", "a5-map"}) {
    const ChildResult result = conformance({"--in-process", "--platform", platform, "--json"});
    EXPECT_EQ(result.exit_code, 0) << platform;
    EXPECT_EQ(json::parse(result.output).at("library"), nullptr);
  }
  // These deviate on purpose.
  for (const std::string platform : {"a2a3-nonidentity", "lenient"}) {
    EXPECT_EQ(conformance({"--in-process", "--platform", platform}).exit_code, 1) << platform;
  }
}

TEST(ConformanceCommand, DeviationIsShownWithWhatWasExpectedAndSeen) {
  const BoardFolder board(SVMSIM_TEST_PROGRAMS_DIR "/frees_null_otherwise.so");
  const ScratchFolder folder;
  const std::string overlay = folder / "overlay.toml";
  const ChildResult result = conformance({"--lib", board.path(), "--json", "--output", overlay});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  const json document = json::parse(result.output);
  EXPECT_EQ(rule_of(document, "P5").at("verdict"), "deviates");
  EXPECT_EQ(rule_of(document, "R6").at("verdict"), "agrees");
  std::size_t deviations = 0;
  for (const json& one : document.at("cases")) {
    if (one.at("verdict") != "deviates") continue;
    ++deviations;
    EXPECT_EQ(one.at("call"), "halMemFree(null)");
    EXPECT_EQ(one.at("expected"), "code 3 INVALID_VALUE");
    EXPECT_EQ(one.at("seen"), "code 8 PARA_ERROR");
  }
  EXPECT_EQ(document.at("deviates"), deviations);
  EXPECT_GT(deviations, 0U);

  const ChildResult table = conformance({"--lib", board.path()});
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_THAT(table.output, testing::HasSubstr("\ndeviates:\n"));
  const std::string seen = "halMemFree(null): expected code 3 INVALID_VALUE, seen code 8 PARA_ERROR\n";
  EXPECT_THAT(table.output, testing::HasSubstr(seen));
  EXPECT_THAT(table.output, testing::Not(testing::HasSubstr("conformance 100 %")));

  // No key says this: the platform is the a2a3, the deviation a comment.
  const std::string text = text_of(overlay);
  EXPECT_THAT(text, testing::HasSubstr("\nextends = \"a2a3\"\n\n# No key says these"));
  EXPECT_THAT(text, testing::HasSubstr(seen));
  EXPECT_EQ(conformance({"--in-process", "--platform", overlay}).exit_code, 0);
}

TEST(ConformanceCommand, OverlayTurnsThePlatformIntoWhatTheBoardDoes) {
  const ScratchFolder folder;
  const std::string overlay = folder / "overlay.toml";
  const EnvironmentChanges board = {{"SVMSIM_PLATFORM", "a2a3-64k"}};
  EXPECT_EQ(conformance({"--lib", kDropIn, "--output", overlay}, board).exit_code, 1);
  const std::string text = text_of(overlay);
  EXPECT_THAT(text, testing::HasSubstr("\nextends = \"a2a3\"\nhost_page = 65536\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("No key says")));
  const ChildResult again = conformance({"--lib", kDropIn, "--platform", overlay}, board);
  EXPECT_EQ(again.exit_code, 0) << again.output << again.errors;
  const ChildResult run = svmsim_command({"run", "vector_example", "--platform", overlay, "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(json::parse(run.output).at("platform"), "a2a3-as-seen");
}

TEST(ConformanceCommand, OverlayOfAPlatformFileExtendsThatFile) {
  const ScratchFolder folder;
  const std::string mine = folder / "mine \"1\".toml";
  std::ofstream(mine) << "name = \"mine\"\ndescription = \"d\"\nextends = \"a2a3\"\nlenient = true\n";
  const std::string overlay = folder / "overlay.toml";
  EXPECT_EQ(conformance({"--lib", kDropIn, "--platform", mine, "--output", overlay}).exit_code, 1);
  const auto platform = find_platform(default_locations(), overlay);
  ASSERT_TRUE(platform.has_value()) << platform.error().message;
  EXPECT_EQ(platform->name, "mine-as-seen");
  EXPECT_TRUE(platform->lenient);
}

TEST(ConformanceCommand, OverlayNamesAPathWithOddBytes) {
  const ScratchFolder folder;
  const std::string mine = folder / "mi\x7fne\t\xc3\xa9.toml";
  std::ofstream(mine) << "name = \"mine\"\ndescription = \"d\"\nextends = \"a2a3\"\nlenient = true\n";
  const std::string overlay = folder / "overlay.toml";
  EXPECT_EQ(conformance({"--in-process", "--platform", mine, "--output", overlay}).exit_code, 1);
  const auto platform = find_platform(default_locations(), overlay);
  ASSERT_TRUE(platform.has_value()) << platform.error().message;
  EXPECT_TRUE(platform->lenient);
}

TEST(ConformanceCommand, OverlayOfAPathThatIsNoUtf8IsRefused) {
  const ScratchFolder folder;
  const std::string mine = folder / "mi\xffne.toml";
  std::ofstream(mine) << "name = \"mine\"\ndescription = \"d\"\nextends = \"a2a3\"\n";
  const ChildResult refused =
      conformance({"--in-process", "--platform", mine, "--json", "--output", folder / "overlay.toml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(json::parse(refused.output).at("error").at("key"), "--platform");
  EXPECT_FALSE(fs::exists(folder / "overlay.toml"));
  EXPECT_EQ(conformance({"--in-process", "--platform", mine, "--json"}).exit_code, 0);
}

TEST(ConformanceCommand, RelativePathWithoutACurrentDirectoryIsBadInput) {
  const ScratchFolder folder;
  const std::string script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" conformance --lib . \"$@\"";
  const auto from_nowhere = [&](const std::string& option) {
    return run_child({"/bin/bash", "-c", "cd " + folder.path() + " && " + script, SVMSIM_PROGRAM, option},
                     without_simulator_variables());
  };
  const ChildResult plain = from_nowhere("--timeout=1");
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.errors, testing::HasSubstr("cannot make absolute path"));
  const ChildResult result = from_nowhere("--json");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(json::parse(result.output).at("error").at("file"), ".");
}

TEST(ConformanceCommand, OverlayThatCouldNotBeLoadedIsRefusedBeforeTheRun) {
  const ScratchFolder folder;
  std::string last = "a2a3";
  for (std::size_t level = 1; level <= kMostExtensions; ++level) {
    const std::string next = folder / ("p" + std::to_string(level) + ".toml");
    std::ofstream(next) << "name = \"p\"\ndescription = \"d\"\nextends = \"" << last << "\"\n";
    const ChildResult result = conformance({"--in-process", "--platform", next, "--output", folder / "overlay.toml"});
    EXPECT_EQ(result.exit_code, level < kMostExtensions ? 0 : 2) << level;
    const bool refused = result.errors.find("extends fewer than 8 others") != std::string::npos;
    EXPECT_EQ(refused, level == kMostExtensions) << result.errors;
    last = next;
  }
  EXPECT_EQ(conformance({"--in-process", "--platform", last}).exit_code, 0);
}

TEST(ConformanceCommand, OutputIsANameAmongTheFixturesOrATomlFile) {
  const ScratchFolder folder;
  fs::copy(default_locations().fixtures + "/platforms", folder / "platforms");
  fs::copy(default_locations().fixtures + "/conformance", folder / "conformance");
  const std::vector<std::string> command = {"--fixtures", folder.path(), "--in-process", "--output"};
  const auto with_output = [&](const std::string& output) {
    auto arguments = command;
    arguments.push_back(output);
    return conformance(arguments);
  };
  EXPECT_EQ(with_output("my-board").exit_code, 0);
  EXPECT_EQ(conformance({"--fixtures", folder.path(), "--in-process", "--platform", "my-board"}).exit_code, 0);
  for (const std::string& wrong : {folder / "my-board", folder / "my-board.tml", folder / "my board.toml"}) {
    const ChildResult result = with_output(wrong);
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_THAT(result.errors, testing::HasSubstr("or the path of such a .toml file"));
    EXPECT_FALSE(fs::exists(wrong));
  }
}

TEST(ConformanceCommand, ProcessesOfCasesLeaveNoTraceOrReport) {
  const ScratchFolder folder;
  const EnvironmentChanges files = {{"SVMSIM_TRACE", folder / "t.jsonl"}, {"SVMSIM_REPORT", folder / "r.json"}};
  EXPECT_EQ(conformance({"--lib", kDropIn}, files).exit_code, 0);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ConformanceCommand, OverlayDoesNotReplaceThePlatformItExtends) {
  const ScratchFolder folder;
  const std::string mine = folder / "mine.toml";
  const std::string text = "name = \"mine\"\ndescription = \"d\"\nextends = \"a2a3\"\n";
  std::ofstream(mine) << text;
  const ChildResult refused = conformance({"--in-process", "--platform", mine, "--output", mine});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, ::testing::HasSubstr("allowed: another file than those that the command reads"));
  EXPECT_EQ(text_of(mine), text);
}

TEST(ConformanceCommand, FunctionThatTheLibraryLacksIsNotApplicable) {
  const ChildResult result = conformance({"--lib", kDropIn, "--json"}, {{"SVMSIM_OMIT", "halHostUnregisterEx"}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::size_t lacking = 0;
  const json document = json::parse(result.output);
  for (const json& one : document.at("cases")) {
    if (one.at("expected") != "halHostUnregisterEx") continue;
    EXPECT_EQ(one.at("verdict"), "not_applicable") << one;
    EXPECT_EQ(one.at("seen"), "a library without it");
    ++lacking;
  }
  EXPECT_GT(lacking, 0U);
}

TEST(ConformanceCommand, CrashIsADeviationOfItsCase) {
  const BoardFolder board(kFakes + "/crashing.so");
  const ChildResult result = conformance({"--lib", board.path()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, testing::HasSubstr("expected an answer, seen a process that died of SIGSEGV\n"));
}

TEST(ConformanceCommand, LibraryOfWhichNothingCanBeAskedDoesNotPass) {
  const BoardFolder board(SVMSIM_TEST_PROGRAMS_DIR "/noisy.so");
  const ChildResult result = conformance({"--lib", board.path(), "--platform", "a2a3-64k"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, testing::HasSubstr("conformance 0 %: 0 of 0 cases agree"));
}

void expect_no_board(const std::vector<std::string>& arguments, const std::string& words,
                     const EnvironmentChanges& variables = {}) {
  const ChildResult plain = conformance(arguments, variables);
  EXPECT_EQ(plain.exit_code, 3) << plain.errors;
  EXPECT_EQ(plain.output, "");
  EXPECT_THAT(plain.errors, testing::HasSubstr(words));
  auto json_arguments = arguments;
  json_arguments.push_back("--json");
  const ChildResult result = conformance(json_arguments, variables);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.errors, "");
  const json error = json::parse(result.output).at("error");
  EXPECT_EQ(error.at("key"), "--lib");
  EXPECT_EQ(error.at("allowed"), "a folder with libascend_hal.so, and a device that it finds");
  EXPECT_THAT(error.at("message").get<std::string>(), testing::HasSubstr(words));
}

TEST(ConformanceCommand, WithoutALibraryABoardIsNeeded) {
  const ScratchFolder folder;
  expect_no_board({"--lib", "/nowhere"}, "'/nowhere' is no folder");
  expect_no_board({"--lib", folder.path()}, "'" + folder.path() + "' has no libascend_hal.so");
  std::ofstream(folder / "libascend_hal.so") << "not a library";
  expect_no_board({"--lib", folder.path()}, "tried " + folder.path() + "/libascend_hal.so");
  expect_no_board({}, "in LD_LIBRARY_PATH (" + folder.path() + ")", {{"LD_LIBRARY_PATH", folder.path()}});
}

TEST(ConformanceCommand, LibraryThatFindsNoDeviceIsNoBoard) {
  const BoardFolder board(kFakes + "/closed_device.so");
  expect_no_board({"--lib", board.path()}, "halMemAgentOpen(0, 0) with code 1");
}

TEST(ConformanceCommand, NoBoardLeavesNoFile) {
  const ScratchFolder folder;
  EXPECT_EQ(conformance({"--lib", "/nowhere", "--output", folder / "overlay.toml"}).exit_code, 3);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// The fake hangs once it has sent its signal, far longer than a test.
TEST(ConformanceCommand, InterruptedOneEndsAtOnceAndLeavesNoFile) {
  const BoardFolder board(kFakes + "/interrupting.so");
  for (const int signal : {SIGINT, SIGTERM}) {
    const ScratchFolder folder;
    const ChildResult result = conformance({"--lib", board.path(), "--output", folder / "overlay.toml", "--json"},
                                           {{"FAKE_SIGNAL", std::to_string(signal)}});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(json::parse(result.output).at("error").at("message"), "interrupted");
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(ConformanceCommand, ProcessOfTheLibraryEndsWithAKilledOne) {
  const BoardFolder board(kFakes + "/interrupting.so");
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);  // every process below inherits an end to write to
  const ChildResult result = conformance({"--lib", board.path()}, {{"FAKE_SIGNAL", std::to_string(SIGKILL)}});
  EXPECT_EQ(result.signal, SIGKILL);
  close(ends[1]);
  pollfd all_ended{ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&all_ended, 1, 60'000), 1) << "a process is left that waits for ever";
  close(ends[0]);
}

// A parent that wants no word of its children hands this on.
TEST(ConformanceCommand, CrashIsNamedAlsoWhereChildrenAreIgnored) {
  const BoardFolder board(kFakes + "/crashing.so");
  const std::string program =
      std::string("trap '' CHLD; exec ") + SVMSIM_PROGRAM + " conformance --lib " + board.path();
  const ChildResult result = run_child({"/bin/bash", "-c", program}, without_simulator_variables());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, testing::HasSubstr("seen a process that died of SIGSEGV\n"));
}

TEST(ConformanceCommand, LibraryIsLookedForAsTheLoaderDoes) {
  const ChildResult result = conformance({"--json"}, {{"LD_LIBRARY_PATH", kDropIn}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(json::parse(result.output).at("library"), kDropIn + "/libascend_hal.so");
}

TEST(ConformanceCommand, LibraryThatDoesNotStartIsAFailure) {
  const BoardFolder board(SVMSIM_MISBEHAVING_LIBRARY);
  const ChildResult result = conformance({"--lib", board.path()}, {{"FAKE_DEED", "exit 7"}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, testing::HasSubstr("does not start: a process that ended with exit code 7"));
}

TEST(ConformanceCommand, SimulatedBoardThatIsOfNoPlatformIsBadInput) {
  const ChildResult result = conformance({"--lib", kDropIn}, {{"SVMSIM_PLATFORM", "a3"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, testing::HasSubstr("a variable of the environment that it cannot use"));
}

}  // namespace
}  // namespace svmsim
