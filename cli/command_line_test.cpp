// SPDX-License-Identifier: Apache-2.0
// The command as a user meets it: exit codes, one message per mistake, nothing but JSON under --json.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;

TEST(CommandLine, HelpTeachesAndEndsWithZero) {
  const ChildResult top = svmsim_command({"--help"});
  EXPECT_EQ(top.exit_code, 0);
  for (const char* word : {"run", "sweep", "calibrate", "check", "replay", "probe", "conformance", "regress", "scenes",
                           "platforms", "exit codes"}) {
    EXPECT_NE(top.output.find(word), std::string::npos) << word;
  }
  const ChildResult run = svmsim_command({"run", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word : {"--platform", "--policy", "--rounds", "--seed", "--json", "register-all", "copy-only"}) {
    EXPECT_NE(run.output.find(word), std::string::npos) << word;
  }
  const ChildResult calibrate = svmsim_command({"calibrate", "--help"});
  EXPECT_EQ(calibrate.exit_code, 0);
  for (const char* word : {"--points", "--output", "--check", "--json", "my_points.csv", "exit codes"}) {
    EXPECT_NE(calibrate.output.find(word), std::string::npos) << word;
  }
  const ChildResult check = svmsim_command({"check", "--help"});
  EXPECT_EQ(check.exit_code, 0);
  for (const char* word : {"--cases", "--seed", "--first", "--shard", "--time", "--platform", "--policy", "--save",
                           "--merge", "--json", "failing-S-I.toml", "exit codes"}) {
    EXPECT_NE(check.output.find(word), std::string::npos) << word;
  }
  const ChildResult conformance = svmsim_command({"conformance", "--help"});
  EXPECT_EQ(conformance.exit_code, 0);
  for (const char* word : {"--lib", "--platform", "--output", "--timeout", "--in-process", "--json", "exit codes"}) {
    EXPECT_NE(conformance.output.find(word), std::string::npos) << word;
  }
  const ChildResult probe = svmsim_command({"probe", "--help"});
  EXPECT_EQ(probe.exit_code, 0);
  for (const char* word : {"--lib", "--platform", "--driver-log", "--output", "--timeout", "--json", "exit codes"}) {
    EXPECT_NE(probe.output.find(word), std::string::npos) << word;
  }
  const ChildResult replay = svmsim_command({"replay", "--help"});
  EXPECT_EQ(replay.exit_code, 0);
  for (const char* word : {"FILE", "--json", "property", "exit codes"}) {
    EXPECT_NE(replay.output.find(word), std::string::npos) << word;
  }
}

TEST(CommandLine, JsonIsAFlagThatTakesAValueToo) {
  for (const char* command : {"platforms", "scenes", "sweep"}) {
    const std::string document = svmsim_command({command, "--json"}).output;
    EXPECT_TRUE(nlohmann::json::accept(document)) << command;
    EXPECT_EQ(svmsim_command({command, "--json=true"}).output, document);
    EXPECT_EQ(svmsim_command({command, "--json=false"}).output, svmsim_command({command}).output);
  }
  for (const char* flag : {"--json=true", "--json=1", "--json=maybe"}) {
    EXPECT_TRUE(nlohmann::json::accept(svmsim_command({"platforms", flag, "--no-such"}).output)) << flag;
  }
}

struct BadCommand {
  std::string name;
  std::vector<std::string> arguments;
  std::string key;  // as the error names it; empty where the option parser speaks
  std::string value;
  std::string allowed;  // a part of it
};

class BadInput : public ::testing::TestWithParam<BadCommand> {};

TEST_P(BadInput, EndsWithTwoAndOneMessage) {
  const ChildResult plain = svmsim_command(GetParam().arguments);
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_EQ(plain.output, "");
  EXPECT_EQ(std::count(plain.errors.begin(), plain.errors.end(), '\n'), 1) << plain.errors;
  EXPECT_NE(plain.errors.find(GetParam().key), std::string::npos) << plain.errors;
  EXPECT_NE(plain.errors.find(GetParam().value), std::string::npos) << plain.errors;
  EXPECT_NE(plain.errors.find(GetParam().allowed), std::string::npos) << plain.errors;
}

TEST_P(BadInput, EndsWithTwoAndOneErrorDocumentUnderJson) {
  auto arguments = GetParam().arguments;
  arguments.push_back("--json");
  const ChildResult result = svmsim_command(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "");
  const nlohmann::json document = nlohmann::json::parse(result.output);
  ASSERT_EQ(document.size(), 1U);
  const nlohmann::json& error = document.at("error");
  EXPECT_EQ(error.at("key"), GetParam().key);
  EXPECT_EQ(error.at("value"), GetParam().value);
  EXPECT_NE(error.at("allowed").get<std::string>().find(GetParam().allowed), std::string::npos) << error;
}

const std::string kScene = "paged_attention_small1_child_memory";

INSTANTIATE_TEST_SUITE_P(
    Options, BadInput,
    ::testing::Values(
        BadCommand{"UnknownScene", {"run", "no_such_scene"}, "SCENE", "no_such_scene", "paged_attention_case1"},
        BadCommand{"UnknownPlatform", {"run", kScene, "--platform", "a3"}, "--platform", "a3", "a2a3-64k"},
        BadCommand{"UnknownPolicy", {"run", kScene, "--policy", "Cached"}, "--policy", "Cached", "register-all"},
        BadCommand{"ZeroRounds", {"run", kScene, "--rounds", "0"}, "--rounds", "0", "from 1"},
        BadCommand{"NegativeRounds", {"run", kScene, "--rounds", "-1"}, "--rounds", "-1", "from 1"},
        BadCommand{"RoundsWithTail", {"run", kScene, "--rounds", "3x"}, "--rounds", "3x", "an integer"},
        BadCommand{"TooManyRounds", {"run", kScene, "--rounds", "100001"}, "--rounds", "100001", "100000"},
        BadCommand{"SeedBeyond64Bits",
                   {"run", kScene, "--seed", "18446744073709551616"},
                   "--seed",
                   "18446744073709551616",
                   "18446744073709551615"},
        BadCommand{"UnknownBacking", {"run", kScene, "--backing", "disk"}, "--backing", "disk", "plain, mmu"},
        BadCommand{"SizeZero", {"sweep", "--sizes", "64,0"}, "--sizes", "0", "from 1"},
        BadCommand{"EmptySize", {"sweep", "--sizes", "64,,4096"}, "--sizes", "", "an integer"},
        BadCommand{"NoCases", {"check", "--cases", "0"}, "--cases", "0", "from 1"},
        BadCommand{"TooManyCases", {"check", "--cases", "10000001"}, "--cases", "10000001", "10000000"},
        BadCommand{"CheckSeedBelowZero", {"check", "--seed", "-1"}, "--seed", "-1", "from 0"},
        BadCommand{"FirstBeyondItsEnd",
                   {"check", "--first", "9223372036854775808"},
                   "--first",
                   "9223372036854775808",
                   "9223372036854775807"},
        BadCommand{"ShardEqualToTheirNumber", {"check", "--shard", "3/3"}, "--shard", "3/3", "from 0 to N - 1"},
        BadCommand{"ShardWithoutTheirNumber", {"check", "--shard", "3"}, "--shard", "3", "I/N"},
        BadCommand{"ShardOfNone", {"check", "--shard", "0/0"}, "--shard", "0/0", "N from 1"},
        BadCommand{"ShardWithTail", {"check", "--shard", "0/2x"}, "--shard", "0/2x", "I/N"},
        BadCommand{"NoTime", {"check", "--time", "0"}, "--time", "0", "from 1"},
        BadCommand{"CheckOnUnknownPlatform", {"check", "--platform", "identity"}, "--platform", "identity", "a2a3-64k"},
        BadCommand{"CheckWithUnknownPolicy", {"check", "--policy", "lazy"}, "--policy", "lazy", "register-all"},
        BadCommand{"SaveNowhere", {"check", "--save", "/nowhere"}, "--save", "/nowhere", "a folder"},
        BadCommand{"ConformanceOfUnknownPlatform", {"conformance", "--platform", "a3"}, "--platform", "a3", "a2a3-64k"},
        BadCommand{"ConformanceWithoutRules",
                   {"conformance", "--platform", "identity"},
                   "--platform",
                   "identity",
                   "a driver that has rules"},
        BadCommand{"ConformanceWithoutTime", {"conformance", "--timeout", "0"}, "--timeout", "0", "from 1"},
        BadCommand{"OverlayNowhere",
                   {"conformance", "--in-process", "--output", "/nowhere/o.toml"},
                   "--output",
                   "/nowhere/o.toml",
                   "/nowhere"},
        BadCommand{"SweepOfUnknownPlatform", {"sweep", "--platform", "a3"}, "--platform", "a3", "a2a3"}),
    [](const auto& test) { return test.param.name; });

TEST(CommandLine, EmptyValuesAreRefusedLikeOtherWrongOnes) {
  for (const std::string option : {"--platform", "--policy", "--rounds", "--seed", "--backing", "--trace"}) {
    EXPECT_EQ(svmsim_command({"run", kScene, option, ""}).exit_code, 2) << option;
  }
}

TEST(CommandLine, FolderWithoutFixturesIsNamed) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--fixtures", "/nowhere", "scenes"},
                                                    {"--fixtures", "/nowhere", "platforms"},
                                                    {"--fixtures", "/nowhere", "run", kScene}}) {
    const ChildResult result = svmsim_command(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find("/nowhere"), std::string::npos) << result.errors;
  }
}

TEST(CommandLine, CurrentFolderThatIsGoneTakesNoOutput) {
  const ScratchFolder folder;
  std::ofstream(folder / "x.cpp") << "int x;\n";
  const std::string script = "mkdir \"$0\" && cd \"$0\" && rmdir \"$0\" && exec \"$@\"";
  const auto errors = [&](const std::vector<std::string>& command) {
    std::vector<std::string> words = {"/bin/sh", "-c", script, folder / "gone", SVMSIM_PROGRAM};
    words.insert(words.end(), command.begin(), command.end());
    const ChildResult result = run_child(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.errors;
  };
  EXPECT_EQ(errors({"build", folder / "x.cpp"}),
            "svmsim: --output: found 'x.so'; allowed: a file, new or regular, in a folder that exists\n");
  EXPECT_EQ(
      errors({"run", kScene, "--trace", "t.json"}),
      "svmsim: --trace: found 't.json'; allowed: a file that can be written: t.json: No such file or directory\n");
}

TEST(CommandLine, ControlCharactersOfAnArgumentStayOnOneLine) {
  const ChildResult result = svmsim_command({"run", kScene, "--policy", "a\nb\x1b[31m"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
  EXPECT_NE(result.errors.find("a\\x0ab\\x1b[31m"), std::string::npos) << result.errors;
}

TEST(CommandLine, StreamsThatDoNotTakeTheOutputNeverCrashIt) {
  const auto exit_code = [](const std::string& redirection) {
    const int status = std::system((std::string(SVMSIM_PROGRAM) + " " + redirection).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(exit_code("run nothing 2>/dev/full"), 2);
  EXPECT_EQ(exit_code("run nothing 2>&-"), 2);
  EXPECT_EQ(exit_code("scenes >/dev/full 2>/dev/null"), 1);
  EXPECT_EQ(exit_code("scenes >&- 2>/dev/null"), 1);
  EXPECT_EQ(exit_code("--help >/dev/full 2>/dev/null"), 1);
  EXPECT_EQ(exit_code("scenes >/dev/full 2>/dev/full"), 1);
}

TEST(CommandLine, OptionParserErrorsEndWithTwoAsWell) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"fly"}, {"run"}, {"run", kScene, "--fast"}, {"run", kScene, "--rounds"}}) {
    const ChildResult plain = svmsim_command(arguments);
    EXPECT_EQ(plain.exit_code, 2) << plain.errors;
    EXPECT_EQ(plain.output, "");
    EXPECT_FALSE(plain.errors.empty());
  }
  const ChildResult result = svmsim_command({"run", "--json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(nlohmann::json::parse(result.output).contains("error"));
}

// A folder for scene and platform files that a test writes.
class BadFile : public ::testing::Test {
 protected:
  BadFile()
      : folder_(fs::temp_directory_path() /
                ("svmsim_cli_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~BadFile() override { fs::remove_all(folder_); }

  // A complete scene of one staged input, with lines to add to the tensor and at the top.
  std::string scene(const std::string& tensor_lines, const std::string& top_lines = "",
                    const std::string& orchestration = "vector_example") {
    const std::string path = (folder_ / "scene.toml").string();
    std::ofstream(path) << "name = \"mine\"\ndescription = \"a scene\"\norchestration = \"" << orchestration << "\"\n"
                        << top_lines << "[[tensor]]\nname = \"a\"\n"
                        << tensor_lines;
    return path;
  }
  static nlohmann::json error_of(const std::string& path) {
    const ChildResult result = svmsim_command({"run", path, "--json"});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(result.errors, "");
    return nlohmann::json::parse(result.output).at("error");
  }

  const std::string good_tensor_ = "shape = [4]\ndtype = \"float32\"\ndirection = \"in\"\ndata = \"zeros\"\n";
  fs::path folder_;
};

TEST_F(BadFile, WrongKeyNamesFileAndKey) {
  const std::string path = scene(good_tensor_ + "colour = 3\n");
  const nlohmann::json error = error_of(path);
  EXPECT_EQ(error.at("file"), path);
  EXPECT_EQ(error.at("key"), "tensor[0].colour");
  EXPECT_NE(error.at("allowed").get<std::string>().find("residency"), std::string::npos) << error;
}

TEST_F(BadFile, WrongTypeSizeAndShapeNameTheKeyAndTheValue) {
  EXPECT_EQ(error_of(scene("shape = [4]\ndtype = 7\ndirection = \"in\"\n")).at("key"), "tensor[0].dtype");
  const nlohmann::json shape = error_of(scene("shape = [4, 0]\ndtype = \"float32\"\ndirection = \"in\"\n"));
  EXPECT_EQ(shape.at("key"), "tensor[0].shape[1]");
  EXPECT_EQ(shape.at("value"), "0");
  EXPECT_EQ(error_of(scene("shape = []\ndtype = \"float32\"\ndirection = \"in\"\n")).at("key"), "tensor[0].shape");
  EXPECT_EQ(error_of(scene("shape = [1,1,1,1,1,1]\ndtype = \"float32\"\ndirection = \"in\"\n")).at("key"),
            "tensor[0].shape");
  const nlohmann::json heap = error_of(scene(good_tensor_, "heap_bytes = -1\n"));
  EXPECT_EQ(heap.at("key"), "heap_bytes");
  EXPECT_EQ(heap.at("value"), "-1");
}

TEST_F(BadFile, MissingSharedObjectNamesItsPath) {
  const nlohmann::json error = error_of(scene(good_tensor_, "", "no_such_orchestration"));
  EXPECT_EQ(error.at("key"), "orchestration");
  EXPECT_EQ(error.at("value"), "no_such_orchestration");
  EXPECT_NE(error.at("file").get<std::string>().find("no_such_orchestration.so"), std::string::npos) << error;
}

TEST_F(BadFile, MissingEntryPointNamesTheSymbol) {
  const ChildResult result = svmsim_command({"--orchestrations", SVMSIM_BROKEN_ORCHESTRATIONS_DIR, "run",
                                             scene(good_tensor_, "", "test_program_no_entry"), "--json"});
  EXPECT_EQ(result.exit_code, 2);
  const std::string message = nlohmann::json::parse(result.output).at("error").at("message");
  EXPECT_NE(message.find("aicpu_orchestration_entry"), std::string::npos) << message;
}

TEST_F(BadFile, SceneFileThatDoesNotExistIsNamed) {
  const std::string path = (folder_ / "absent.toml").string();
  EXPECT_EQ(error_of(path).at("file"), path);
}

TEST_F(BadFile, SceneWithOtherArgumentsThanTheOrchestrationTakesIsBadInput) {
  const nlohmann::json error = error_of(scene(good_tensor_, "", "paged_attention"));
  EXPECT_EQ(error.at("key"), "orchestration");
  EXPECT_EQ(error.at("value"), "paged_attention");
  EXPECT_NE(error.at("message").get<std::string>().find("1 tensors"), std::string::npos) << error;
}

TEST_F(BadFile, MoreDataThanTheMachineHasMemoryIsRefusedBeforeItIsTouched) {
  const std::string shape = "shape = [1048576, 262144]\ndtype = \"float32\"\ndirection = \"in\"\n";  // 1 TiB
  const ChildResult result = svmsim_command({"run", scene(shape + "data = \"seeded\"\n")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("1099511627776"), std::string::npos) << result.errors;
}

TEST_F(BadFile, MoreMemoryThanTheDeviceHasFailsTheRunWithTheDriversCode) {
  const std::string shape = "shape = [1048576, 262144]\ndtype = \"float32\"\ndirection = \"in\"\n";
  const ChildResult result = svmsim_command({"run", scene(shape + "data = \"none\"\n"), "--json"});
  EXPECT_EQ(result.exit_code, 1);
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_NE(document.at("status"), 0);
  EXPECT_EQ(document.at("violations"), nlohmann::json::array());
  EXPECT_NE(result.errors.find("'a'"), std::string::npos) << result.errors;
}

TEST_F(BadFile, StagedTensorThatDoesNotFitTheDeviceFailsWithOutOfMemory) {
  // 128 GiB without data on a device of 64 GiB.
  const std::string shape = "shape = [131072, 262144]\ndtype = \"float32\"\ndirection = \"in\"\ndata = \"none\"\n";
  const ChildResult result = svmsim_command({"run", scene(shape), "--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(result.output).at("status"), 6);
}

TEST_F(BadFile, HostReadOfATensorWithoutDataIsAFatalOfTheOrchestration) {
  for (const std::string residency : {"staged", "child_memory"}) {
    const std::string tensor =
        "shape = [4]\ndtype = \"float32\"\ndirection = \"in\"\ndata = \"none\"\nresidency = \"" + residency + "\"\n";
    const ChildResult result = svmsim_command(
        {"--orchestrations", SVMSIM_TEST_PROGRAMS_DIR, "run", scene(tensor, "", "reads_first_element"), "--json"});
    EXPECT_EQ(result.exit_code, 1) << residency;
    EXPECT_EQ(nlohmann::json::parse(result.output).at("status"), -5) << residency;
    EXPECT_NE(result.errors.find("without data"), std::string::npos) << result.errors;
  }
}

TEST_F(BadFile, WhatAnOrchestrationPrintsAndLogsGoesToStandardError) {
  const ChildResult result =
      svmsim_command({"--orchestrations", SVMSIM_TEST_PROGRAMS_DIR, "run", scene(good_tensor_, "", "noisy"), "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(result.output).at("status"), 0);
  for (const char* words : {"printed by printf", "printed by cout", "orchestration: logged as an error"}) {
    EXPECT_NE(result.errors.find(words), std::string::npos) << words << " in " << result.errors;
  }
  EXPECT_EQ(result.errors.find("logged as information"), std::string::npos) << "only with --verbose";
}

TEST_F(BadFile, ElementsSetInAStagedInputDoNotReachTheNextRound) {
  const ChildResult result = svmsim_command({"--orchestrations", SVMSIM_TEST_PROGRAMS_DIR, "run",
                                             scene(good_tensor_, "", "increments_first_element"), "--rounds", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_F(BadFile, TraceReplacesNothingButARegularFile) {
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& target : {fifo, folder_.string()}) {
    const ChildResult result = svmsim_command({"run", kScene, "--trace", target});
    EXPECT_EQ(result.exit_code, 2) << target;
    EXPECT_NE(result.errors.find("not a regular file"), std::string::npos) << result.errors;
  }
  EXPECT_TRUE(fs::is_fifo(fifo));
  const fs::path file = folder_ / "file.json";
  const fs::path link = folder_ / "link.json";
  std::ofstream(file) << "old";
  fs::create_symlink(file, link);
  EXPECT_EQ(svmsim_command({"run", kScene, "--trace", link.string()}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(file)).contains("traceEvents"));
}

TEST_F(BadFile, RefusedRunLeavesNoTraceFile) {
  const std::string trace = (folder_ / "trace.json").string();
  EXPECT_EQ(svmsim_command({"run", "no_such_scene", "--trace", trace}).exit_code, 2);
  EXPECT_EQ(svmsim_command({"run", scene(good_tensor_, "", "absent"), "--trace", trace}).exit_code, 2);
  fs::remove(folder_ / "scene.toml");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(BadFile, TraceOfARunIsACompleteDocumentAndTheSameTwice) {
  const auto trace = [&](const std::string& name) {
    const std::string path = (folder_ / name).string();
    EXPECT_EQ(svmsim_command({"run", kScene, "--trace", path}).exit_code, 0);
    return nlohmann::json::parse(std::ifstream(path));
  };
  const nlohmann::json first = trace("a.json");
  EXPECT_GT(first.at("traceEvents").size(), 10U);
  EXPECT_EQ(first, trace("b.json"));
}

}  // namespace
}  // namespace svmsim
