// SPDX-License-Identifier: Apache-2.0
// Scenes on the drop-in libraries, as the simulator and as boards that are broken in some way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/locations.h"
#include "cli/testing/board_folder.h"
#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kDropin = SVMSIM_DROPIN_DIR;
constexpr const char* kScene = "paged_attention_small1_child_memory";  // two tensors in device memory

ChildResult regress(std::vector<std::string> arguments, const EnvironmentChanges& environment = {}) {
  arguments.insert(arguments.begin(), "regress");
  return svmsim_command(std::move(arguments), environment);
}
Json regress_document(std::vector<std::string> arguments, int exit_code, const EnvironmentChanges& environment = {}) {
  arguments.insert(arguments.end(), {"--lib", kDropin, "--json"});
  const ChildResult result = regress(std::move(arguments), environment);
  EXPECT_EQ(result.exit_code, exit_code) << result.errors;
  return Json::parse(result.output, nullptr, false);
}
const Json& named(const Json& list, const char* key, const std::string& name) {
  static const Json none;
  for (const Json& one : list) {
    if (one[key] == name) return one;
  }
  ADD_FAILURE() << name << " is not in " << list.dump();
  return none;
}

struct Counts {
  const char* platform;
  std::uint64_t maps, refused, copies;
};
class RegressOn : public testing::TestWithParam<Counts> {};

// The table of 3 rounds: two tables are mapped once for their lives (a2a3), refused once each and copied at each of the
// accesses (64 KiB pages), or copied without a word (a5). The strict driver wants every mapping and block back.
TEST_P(RegressOn, DropInShowsWhatTheSimulatorShows) {
  const Json json =
      regress_document({kScene, "vector_example", "predicated_dispatch", "--platform", GetParam().platform}, 0,
                       {{"SVMSIM_STRICT", "1"}});
  EXPECT_EQ(json["passes"], true);
  EXPECT_EQ(json["clock"], "simulated");
  ASSERT_EQ(json["scenes"].size(), 3u);
  for (const Json& scene : json["scenes"]) EXPECT_EQ(scene["verdict"], "agrees");
  const Json& counts = json["scenes"][0]["counts"];
  EXPECT_EQ(counts["totals.map_calls"], GetParam().maps);
  EXPECT_EQ(counts["totals.unmap_calls"], GetParam().maps);
  EXPECT_EQ(counts["totals.map_refused"], GetParam().refused);
  if (GetParam().copies == 0) {
    EXPECT_EQ(counts["totals.devcopy"], 0u);
  } else {
    EXPECT_EQ(counts["totals.devcopy"], counts["totals.accesses"]);
  }
  // One clock and one price list; the driver's clock is read in whole nanoseconds.
  for (const Json& phase : json["scenes"][0]["phases"]) {
    if (phase["ratio"].is_null()) continue;
    EXPECT_NEAR(phase["ratio"].get<double>(), 1.0, 0.002) << phase.dump();
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, RegressOn,
                         testing::Values(Counts{"a2a3", 2, 0, 0}, Counts{"a2a3-64k", 0, 2, 1},
                                         Counts{"a2a3-nonidentity", 2, 0, 0}, Counts{"a5", 0, 0, 1}));

// Weights without bytes are neither uploaded nor read; what they cost is not compared.
TEST(Regress, SceneWithTensorsWithoutDataRuns) {
  const Json json = regress_document({"qwen3_14b_decode_child_memory", "--rounds", "1"}, 0);
  EXPECT_TRUE(named(json["scenes"][0]["phases"], "phase", "bind")["ratio"].is_null());
}

// The host address is another one; the counts of an a2a3 are not.
TEST(Regress, BoardWithViewsElsewhereAgrees) {
  EXPECT_EQ(regress_document({kScene}, 0, {{"SVMSIM_PLATFORM", "a2a3-nonidentity"}})["passes"], true);
}

TEST(Regress, BoardThatRefusesDeviatesInItsCountsAndNotInItsBytes) {
  const Json json = regress_document({kScene}, 1, {{"SVMSIM_PLATFORM", "a2a3-64k"}, {"SVMSIM_STRICT", "1"}});
  const Json& scene = json["scenes"][0];
  EXPECT_EQ(scene["verdict"], "deviates");
  EXPECT_TRUE(scene["failure"].is_null()) << "nothing is left mapped or allocated";
  const Json& refused = named(scene["differences"], "what", "totals.map_refused");
  EXPECT_EQ(refused["expected"], "0");
  EXPECT_EQ(refused["seen"], "2");
  for (const Json& one : scene["differences"]) EXPECT_NE(one["what"], "result_digest");
  EXPECT_THAT(scene["log"].dump(), HasSubstr("register_to_host failed with NOT_SUPPORT (65534)"));
}

TEST(Regress, LibraryWithoutUnregisterIsNamedAndNothingIsMapped) {
  const Json json = regress_document({kScene}, 1, {{"SVMSIM_OMIT", "halHostUnregister"}, {"SVMSIM_STRICT", "1"}});
  const Json& scene = json["scenes"][0];
  EXPECT_TRUE(scene["failure"].is_null());
  EXPECT_EQ(scene["counts"]["totals.map_calls"], 0u);
  EXPECT_THAT(scene["log"].dump(), HasSubstr("has no function 'halHostUnregister'"));
}

TEST(Regress, LostDeviceIsSaidAndTheOtherScenesAreStillThere) {
  const Json json =
      regress_document({"vector_example", "shape_slot_child_memory"}, 1, {{"SVMSIM_FAULTS", "device-lost"}});
  ASSERT_EQ(json["scenes"].size(), 2u);
  for (const Json& scene : json["scenes"]) {
    EXPECT_EQ(scene["verdict"], "failed");
    EXPECT_THAT(scene["failure"].get<std::string>(), HasSubstr("the device was lost: "));
    EXPECT_THAT(scene["log"].dump(), HasSubstr("device '0' is lost: "));
  }
}

TEST(Regress, BaselineIsWrittenWithoutAPassAndThenComparedWith) {
  const ScratchFolder folder;
  const std::string file = folder / "baseline.json";
  const Json written = regress_document({kScene, "--baseline", file, "--update"}, 1);
  EXPECT_EQ(written["updated"], true);
  EXPECT_EQ(written["passes"], false);
  EXPECT_EQ(regress_document({kScene, "--baseline", file, "--tolerance", "0"}, 0)["passes"], true);
  // A scene that it lacks, and other rounds.
  const Json more = regress_document({kScene, "vector_example", "--baseline", file}, 1);
  EXPECT_EQ(more["scenes"][0]["verdict"], "agrees");
  EXPECT_EQ(more["scenes"][1]["baseline_differences"][0]["seen"], "not in the baseline");
  const Json error = regress_document({kScene, "--baseline", file, "--rounds", "2"}, 2);
  EXPECT_EQ(error["error"]["file"], file);
  EXPECT_EQ(error["error"]["key"], "rounds");
}

// It is known before a board has worked for an hour.
TEST(Regress, BaselineOfAnotherRunIsRefusedBeforeTheBoardIsAsked) {
  const ScratchFolder folder;
  const std::string file = folder / "baseline.json";
  regress_document({kScene, "--baseline", file, "--update"}, 1);
  const ChildResult result = regress({kScene, "--lib", kDropin, "--baseline", file, "--seed", "2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "svmsim: " + file + ": seed: found 1; allowed: 2, as in this run\n");
}

// Somebody has changed it by hand, and it is not what he thinks.
TEST(Regress, BaselineWithAMemberOfAnotherNameIsRefused) {
  const ScratchFolder folder;
  const std::string file = folder / "baseline.json";
  regress_document({kScene, "--baseline", file, "--update"}, 1);
  const std::string text = text_of(file);
  const auto key_with = [&](const std::string& before, const std::string& after) {
    std::string changed = text;
    EXPECT_NE(changed.find(before), std::string::npos);
    changed.replace(changed.find(before), before.size(), after);
    std::ofstream(file) << changed;
    return regress_document({kScene, "--baseline", file}, 2)["error"]["key"];
  };
  EXPECT_EQ(key_with("\"seed\"", "\"sed\": 1, \"seed\""), "sed");
  EXPECT_EQ(key_with("\"status\"", "\"state\": 1, \"status\""), std::string("scenes.") + kScene + ".state");
  EXPECT_EQ(key_with("\"seed\"", "\"seed\": 2, \"seed\""), "seed") << "twice";
}

// The counts are compared, the times of two clocks are not.
TEST(Regress, BaselineByAnotherClockIsADifference) {
  const ScratchFolder folder;
  const std::string file = folder / "baseline.json";
  regress_document({kScene, "--baseline", file, "--update"}, 1);
  std::string text = text_of(file);
  const std::string clock = "\"simulated_clock\": true";
  ASSERT_NE(text.find(clock), std::string::npos);
  text.replace(text.find(clock), clock.size(), "\"simulated_clock\": false");
  std::ofstream(file) << text;
  const Json json = regress_document({kScene, "--baseline", file, "--tolerance", "0"}, 1);
  const Json& differences = json["scenes"][0]["baseline_differences"];
  ASSERT_EQ(differences.size(), 1u) << differences;
  EXPECT_EQ(differences[0], (Json{{"what", "clock"}, {"expected", "system"}, {"seen", "simulated"}}));
}

// A board that is done, and whose driver is not content with how it was left.
TEST(Regress, BadEndOfASceneThatCameToItsEndIsAFailure) {
  const BoardFolder board(SVMSIM_TEST_PROGRAMS_DIR "/frees_null_otherwise.so");
  const ChildResult result = regress({kScene, "--rounds", "1", "--lib", board.path(), "--json"}, {{"FAKE_EXIT", "7"}});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["scenes"][0]["failure"], "the process of the scene ended with exit code 7");
  EXPECT_EQ(json["scenes"][0]["counts"]["totals.map_calls"], 2u);
  EXPECT_EQ(json["scenes"][0]["differences"].size(), 0u);
  EXPECT_EQ(json["clock"], "system");
}

// Each in a process of its own: what ends one does not end the command.
TEST(Regress, SceneOfWhichTheProcessDiesFailsAndTheOthersAreRun) {
  const BoardFolder board(SVMSIM_MISBEHAVING_LIBRARY);
  const ChildResult result =
      regress({kScene, "vector_example", "--lib", board.path(), "--json"}, {{"FAKE_DEED", "crash"}});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.output);
  ASSERT_EQ(json["scenes"].size(), 2u);
  for (const Json& scene : json["scenes"]) EXPECT_EQ(scene["failure"], "the process of the scene died of SIGSEGV");
  EXPECT_TRUE(json["clock"].is_null()) << "no time was taken";
}

TEST(Regress, SimulatedBoardThatIsOfNoPlatformIsBadInputOnce) {
  const Json json = regress_document({kScene, "vector_example"}, 2, {{"SVMSIM_PLATFORM", "a3"}});
  EXPECT_THAT(json["error"]["message"].get<std::string>(), HasSubstr("a variable of the environment"));
}

TEST(Regress, WhatIsNotAsSimulatedBecomesNoBaseline) {
  const ScratchFolder folder;
  const std::string file = folder / "baseline.json";
  const ChildResult result =
      regress({kScene, "--lib", kDropin, "--baseline", file, "--update"}, {{"SVMSIM_PLATFORM", "a2a3-64k"}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              HasSubstr(std::string("no baseline is written: scene '") + kScene + "' is not as simulated"));
  EXPECT_THAT(result.output, Not(HasSubstr("wrote ")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Regress, WithoutABoardTheExitCodeIsThree) {
  const ScratchFolder folder;
  const ChildResult empty = regress({kScene, "--lib", folder.path()});
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.errors, HasSubstr("has no libascend_hal.so"));
  for (const char* const name : {"libascend_hal.so", "libascendcl.so"}) std::ofstream(folder / name) << "no library";
  const ChildResult broken = regress({kScene, "--lib", folder.path()});
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.errors, HasSubstr("no board: "));
  EXPECT_THAT(broken.errors, HasSubstr("libascendcl.so"));
}

TEST(Regress, MistakeNamesTheOption) {
  const auto message = [](std::vector<std::string> arguments) {
    const ChildResult result = regress(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.errors;
  };
  EXPECT_THAT(message({"no_such_scene", "--lib", kDropin}), HasSubstr("no_such_scene"));
  EXPECT_THAT(message({kScene, "--lib", kDropin, "--rounds", "101"}), HasSubstr("--rounds"));
  EXPECT_THAT(message({kScene, "--lib", kDropin, "--platform", "identity"}), HasSubstr("--platform"));
  EXPECT_THAT(message({kScene, "--lib", kDropin, "--update"}), HasSubstr("--update"));
  EXPECT_THAT(message({kScene, "--lib", kDropin, "--tolerance", "-1"}), HasSubstr("--tolerance"));
  EXPECT_THAT(message({kScene, "--lib", kDropin, "--timeout", "0"}), HasSubstr("--timeout"));
  EXPECT_THAT(message({kScene, "vector_example", kScene, "--lib", kDropin}),
              HasSubstr(std::string("SCENE: found '") + kScene + "'; allowed: one scene of the name '" + kScene + "'"));
  const ScratchFolder folder;
  std::filesystem::copy(default_locations().fixtures, folder.path(), std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(folder / "scenes");
  std::filesystem::create_directory(folder / "scenes");
  EXPECT_THAT(message({"--fixtures", folder.path(), "--lib", kDropin}),
              HasSubstr("allowed: a folder with at least one scene in its scenes/"));
}

}  // namespace
}  // namespace svmsim
