// SPDX-License-Identifier: Apache-2.0
// `svmsim probe` as a user runs it: against the drop-in libraries as several boards, and against libraries that lack
// something or break. Expected values are those of the driver's rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands.h"
#include "cli/testing/board_folder.h"
#include "cli/testing/command_line.h"

namespace svmsim {
namespace {

using Names = std::vector<std::string>;

// `board`: the platform that a simulated board is one of; further variables behind it.
ChildResult probed(const std::string& board, std::vector<std::string> arguments,
                   const EnvironmentChanges& variables = {}) {
  EnvironmentChanges changes = without_simulator_variables();
  if (!board.empty()) changes["SVMSIM_PLATFORM"] = board;
  changes["LD_LIBRARY_PATH"] = std::nullopt;  // meson's has the drop-in
  for (const auto& [name, value] : variables) changes[name] = value;
  arguments.insert(arguments.begin(), {SVMSIM_PROGRAM, "probe"});
  return run_child(std::move(arguments), changes);
}

nlohmann::json found_in(const nlohmann::json& document, const std::string& name) {
  for (const nlohmann::json& one : document.at("findings")) {
    if (one.at("name") == name) return one;
  }
  ADD_FAILURE() << name;
  return {};
}

struct ProbedBoard {
  std::string platform;
  Names fits;
};
class ProbedDropIn : public ::testing::TestWithParam<ProbedBoard> {};

TEST_P(ProbedDropIn, NamesThePlatform) {
  const ChildResult result = probed(GetParam().platform, {"--lib", SVMSIM_DROPIN_DIR, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document.at("fits").get<Names>(), GetParam().fits);
  EXPECT_EQ(document.at("simulated"), true);
  EXPECT_EQ(document.at("nearest"), nullptr);
  EXPECT_EQ(document.at("missing").size(), 0U);
  EXPECT_EQ(found_in(document, "driver_version").at("value"), "25.5.0");
}
INSTANTIATE_TEST_SUITE_P(Boards, ProbedDropIn,
                         ::testing::Values(ProbedBoard{"a2a3", {"a2a3"}}, ProbedBoard{"a2a3-64k", {"a2a3-64k"}},
                                           ProbedBoard{"a2a3-vm", {"a2a3-vm"}},
                                           ProbedBoard{"a2a3-nonidentity", {"a2a3-nonidentity"}},
                                           ProbedBoard{"a5", {"a5", "a5-map"}}, ProbedBoard{"a5-map", {"a5", "a5-map"}},
                                           ProbedBoard{"lenient", {"lenient"}}, ProbedBoard{"identity", {"identity"}}),
                         [](const auto& test) {
                           std::string name = test.param.platform;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(ProbeCommand, TableSaysWhatWasFoundAndHow) {
  const ChildResult table = probed("a2a3-64k", {"--lib", SVMSIM_DROPIN_DIR});
  EXPECT_THAT(table.output, testing::HasSubstr("/libascend_hal.so, a simulated board\n"));
  EXPECT_THAT(table.output, testing::ContainsRegex("\nhost_page +65536 +by probing: "));
  EXPECT_THAT(table.output, testing::ContainsRegex("\nsupport_bar_mem +0 +halMemCtl\n"));
  EXPECT_THAT(table.output, testing::ContainsRegex("\nsupport_bar_huge_mem +1 +halMemCtl\n"));
  EXPECT_THAT(table.output, testing::EndsWith("\nplatform a2a3-64k fits\n"));
  EXPECT_THAT(probed("a5", {"--lib", SVMSIM_DROPIN_DIR}).output,
              testing::EndsWith("\nplatforms a5, a5-map fit; a driver's answers do not tell them apart\n"));
}

TEST(ProbeCommand, WithoutHalMemCtlTheLogSaysItAndElseARegister) {
  const EnvironmentChanges omit{{"SVMSIM_OMIT", "halMemCtl,halMemHostGetDevPointer"}};
  const auto asked = nlohmann::json::parse(probed("a2a3-64k", {"--lib", SVMSIM_DROPIN_DIR, "--json"}, omit).output);
  EXPECT_EQ(asked.at("fits").get<Names>(), Names{"a2a3-64k"});
  EXPECT_EQ(found_in(asked, "support_bar_mem").at("value"), "0");
  EXPECT_EQ(found_in(asked, "support_bar_mem").at("how"),
            "by probing: a register of ordinary pages answered 65534 NOT_SUPPORT");
  EXPECT_EQ(found_in(asked, "support_bar_huge_mem").at("value"), "1");
  EXPECT_EQ(found_in(asked, "device_pointer").at("value"), "absent");

  // A v3 driver maps whatever the capability is (R7).
  const auto v3 = nlohmann::json::parse(probed("a5", {"--lib", SVMSIM_DROPIN_DIR, "--json"}, omit).output);
  EXPECT_EQ(found_in(v3, "support_bar_mem").at("value"), nullptr);
  EXPECT_EQ(v3.at("fits").get<Names>(), (Names{"a5", "a5-map"}));

  const ScratchFolder folder;
  std::ofstream(folder / "log") << "svm: support_bar_mem=1 support_bar_huge_mem=1\n";
  const auto logged = nlohmann::json::parse(
      probed("a5", {"--lib", SVMSIM_DROPIN_DIR, "--driver-log", folder / "log", "--json"}, omit).output);
  EXPECT_EQ(found_in(logged, "support_bar_mem").at("value"), "1");
  EXPECT_EQ(found_in(logged, "support_bar_mem").at("how"), "the driver's log");
}

TEST(ProbeCommand, LogThatContradictsTheDriverIsNamed) {
  const ScratchFolder folder;
  std::ofstream(folder / "log") << "support_bar_mem=0 support_bar_huge_mem=1\n";
  const auto document = nlohmann::json::parse(
      probed("a2a3", {"--lib", SVMSIM_DROPIN_DIR, "--driver-log", folder / "log", "--json"}).output);
  EXPECT_EQ(found_in(document, "support_bar_mem").at("value"), "1");
  EXPECT_EQ(found_in(document, "support_bar_mem").at("how"), "halMemCtl, but the driver's log says 0");
  EXPECT_EQ(found_in(document, "support_bar_huge_mem").at("how"), "halMemCtl");
}

TEST(ProbeCommand, BadValuesAreNamed) {
  const ScratchFolder folder;
  std::ofstream(folder / "log") << "nothing\n";
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::pair<std::string, const char*>> logs = {
      {folder / "log", "a file with a line support_bar_mem=0"},
      {folder / "none", "a readable log of a driver of at most 256 MiB (no such file)"},
      {pipe, "a readable log of a driver of at most 256 MiB (a special file)"}};
  for (const auto& [log, allowed] : logs) {
    const ChildResult result = probed("", {"--lib", SVMSIM_DROPIN_DIR, "--driver-log", log});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, testing::HasSubstr("--driver-log: found '" + log + "'; allowed: " + allowed));
  }
  EXPECT_EQ(probed("", {"--timeout", "0"}).exit_code, 2);
  EXPECT_EQ(probed("", {"--platform", "a3"}).exit_code, 2);
}

// A driver that is not of the simulator: its host page is this machine's.
TEST(ProbeCommand, PageOfABoardIsThatOfItsMachine) {
  const BoardFolder board(SVMSIM_TEST_PROGRAMS_DIR "/frees_null_otherwise.so");
  const ChildResult result = probed("", {"--lib", board.path(), "--json"});
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document.at("simulated"), false);
  EXPECT_EQ(found_in(document, "host_page").at("value"), std::to_string(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(found_in(document, "host_page").at("how"), "sysconf");
  EXPECT_EQ(found_in(document, "driver").at("value"), "v2");
}

TEST(ProbeCommand, WithoutTheVersionLibraryTheRestIsFound) {
  const BoardFolder board(SVMSIM_DROPIN_DIR "/libascend_hal.so");
  const ChildResult result = probed("a2a3", {"--lib", board.path(), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document.at("fits").get<Names>(), Names{"a2a3"});
  EXPECT_EQ(found_in(document, "driver_version").at("value"), nullptr);
  EXPECT_THAT(found_in(document, "driver_version").at("how").get<std::string>(),
              testing::StartsWith("no libdrvdsmi_host.so: "));
  EXPECT_THAT(found_in(document, "soc_name").at("value").get<std::string>(), testing::StartsWith("Ascend910B"));
}

TEST(ProbeCommand, WhatTheLibraryDiesOfIsNotFoundAndNoPlatformIsNamed) {
  const BoardFolder board(SVMSIM_FAKE_LIBRARIES_DIR "/crashing.so");
  const ScratchFolder folder;
  const ChildResult result = probed("", {"--lib", board.path(), "--json", "--output", folder / "out.toml"});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document.at("missing").get<Names>(), (Names{"driver", "ordinary_pages", "huge_pages"}));
  EXPECT_EQ(document.at("fits").size(), 0U);
  EXPECT_EQ(document.at("output"), nullptr);
  EXPECT_EQ(found_in(document, "driver").at("how"), "a process that died of SIGSEGV");
  EXPECT_EQ(found_in(document, "huge_pages").at("how"), "a library without halMemAlloc");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THAT(probed("", {"--lib", board.path()}).output,
              testing::EndsWith("\nno platform can be named without driver, ordinary_pages, huge_pages\n"));
}

TEST(ProbeCommand, CallThatHangsIsGivenUp) {
  const BoardFolder board(SVMSIM_FAKE_LIBRARIES_DIR "/hanging.so");
  const ChildResult result = probed("", {"--lib", board.path(), "--timeout", "1"});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, testing::ContainsRegex("\ndriver +not found +no answer within 1000 ms\n"));
}

TEST(ProbeCommand, WithoutALibraryABoardIsNeeded) {
  const ScratchFolder folder;
  const auto no_board = [&](const std::string& lib) {
    const ChildResult result = probed("", {"--lib", lib, "--json", "--output", folder / "out.toml"});
    EXPECT_EQ(result.exit_code, 3) << lib;
    EXPECT_EQ(nlohmann::json::parse(result.output).at("error").at("key"), "--lib");
  };
  no_board("/nowhere");
  no_board(folder.path());
  no_board(BoardFolder(SVMSIM_FAKE_LIBRARIES_DIR "/closed_device.so").path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ProbeCommand, FileOfABoardThatFitsOnlyExtends) {
  const ScratchFolder folder;
  const std::string mine = folder / "mine.toml";
  const auto written = [&](const std::string& platform) {
    const ChildResult result = probed("a5", {"--lib", SVMSIM_DROPIN_DIR, "--platform", platform, "--output", mine});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, testing::EndsWith("\nwritten: " + mine + "\n"));
    return text_of(mine);
  };
  EXPECT_THAT(written("a2a3"), testing::EndsWith("\nextends = \"a5\"\n"));
  EXPECT_THAT(written("a5-map"), testing::EndsWith("\nextends = \"a5-map\"\n"));
}

TEST(ProbeCommand, FileOfAnotherBoardFitsIt) {
  const ScratchFolder folder;
  const std::string board = folder / "board.toml";
  const std::string seen = folder / "seen.toml";
  std::ofstream(board) << "name = \"board\"\ndescription = \"d\"\nextends = \"a2a3\"\n"
                          "host_page = 65536\ndevice_page = 65536\n";
  const ChildResult first = probed(board, {"--lib", SVMSIM_DROPIN_DIR, "--json", "--output", seen});
  EXPECT_EQ(first.exit_code, 1) << first.errors;
  const nlohmann::json nearest = nlohmann::json::parse(first.output).at("nearest");
  EXPECT_EQ(nearest.at("platform"), "a2a3");
  EXPECT_EQ(nearest.at("changes").size(), 2U);
  EXPECT_EQ(nearest.at("unexplained").size(), 0U);
  const auto platform = find_platform(default_locations(), seen);
  ASSERT_TRUE(platform.has_value()) << platform.error().message;
  EXPECT_EQ(platform->host_page.count(), 65536U);
  EXPECT_EQ(platform->device_page.count(), 65536U);
  const ChildResult again = probed(board, {"--lib", SVMSIM_DROPIN_DIR, "--platform", seen});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_THAT(again.output, testing::EndsWith("\nplatform a2a3-as-seen fits\n"));
}

TEST(ProbeCommand, FileOfAPlatformIsNotReplaced) {
  const ScratchFolder folder;
  const std::string mine = folder / "mine.toml";
  std::ofstream(mine) << "name = \"mine\"\ndescription = \"d\"\nextends = \"a2a3\"\n";
  const ChildResult refused = probed("", {"--lib", SVMSIM_DROPIN_DIR, "--platform", mine, "--output", mine});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, testing::HasSubstr("allowed: another file than those that the command reads"));
}

}  // namespace
}  // namespace svmsim
