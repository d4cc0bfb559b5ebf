// SPDX-License-Identifier: Apache-2.0
// `svmsim calibrate` on driver libraries: it finds the prices that the simulated driver charges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "cli/locations.h"
#include "cli/testing/board_folder.h"
#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string kLibraries = SVMSIM_DROPIN_DIR;

// A program of the simulator that leaves something mapped or allocated, or breaks another rule, ends with code 1.
ChildResult calibrate_board(std::vector<std::string> arguments, const EnvironmentChanges& variables = {}) {
  EnvironmentChanges changes = without_simulator_variables();
  changes["SVMSIM_STRICT"] = "1";
  for (const auto& [name, value] : variables) changes[name] = value;
  arguments.insert(arguments.begin(), {SVMSIM_PROGRAM, "calibrate"});
  return run_child(std::move(arguments), changes);
}

// A simulated call takes the same time whenever it is made: one iteration is as good as many.
Json measured_document(std::vector<std::string> arguments, const std::string& iterations = "1") {
  arguments.insert(arguments.end(), {"--lib", kLibraries, "--iterations", iterations, "--json"});
  const ChildResult result = calibrate_board(std::move(arguments));
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  return Json::parse(result.output);
}

Json board_error(std::vector<std::string> arguments, int exit_code, const EnvironmentChanges& variables = {}) {
  arguments.emplace_back("--json");
  const ChildResult result = calibrate_board(std::move(arguments), variables);
  EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
  return Json::parse(result.output).at("error");
}

// What the drop-in libraries charge.
std::map<std::string, double> charged() {
  const auto found = find_calibration(default_locations(), "", "a2a3-cann9");
  EXPECT_TRUE(found) << found.error().message;
  const CostParameters& parameters = found->parameters;
  std::map<std::string, double> prices;
  const auto add = [&](const char* name, Picoseconds price) { prices[name] = static_cast<double>(price.count()); };
  add("register.call", parameters.register_to_host.call);
  add("register.allocation_page", parameters.register_to_host.allocation_page);
  add("register.host_page", parameters.register_to_host.host_page);
  add("unregister.call", parameters.unregister_from_host.call);
  add("unregister.allocation_page", parameters.unregister_from_host.allocation_page);
  add("unregister.host_page", parameters.unregister_from_host.host_page);
  add("copy_from_device.latency", parameters.copy_from_device.latency);
  add("copy_from_device.mib", parameters.copy_from_device.mib);
  add("copy_to_device.latency", parameters.copy_to_device.latency);
  add("copy_to_device.mib", parameters.copy_to_device.mib);
  return prices;
}

using Names = std::vector<std::string>;

// Every term that the points determine is within 1 % of what is charged; the others are these.
void expect_recovered(const Json& document, const Names& undetermined) {
  const std::map<std::string, double> prices = charged();
  EXPECT_EQ(document.at("undetermined").get<Names>(), undetermined);
  std::size_t recovered = 0;
  for (const Json& term : document.at("terms")) {
    if (!term.at("determined").get<bool>()) continue;
    const std::string name = term.at("term");
    ASSERT_TRUE(prices.contains(name)) << term;
    EXPECT_NEAR(term.at("ps").get<double>(), prices.at(name), 0.01 * prices.at(name)) << name;
    ++recovered;
  }
  EXPECT_EQ(recovered + undetermined.size(), 17U);
}

// Nobody counts loads and stores on a simulated board.
const Names kNeverMeasured = {"set_memory.latency", "set_memory.mib", "allocate", "free",
                              "view_load",          "view_store",     "launch"};

TEST(CalibrateBoard, RecoversThePricesOfTheSimulatedDriver) {
  const Json document = measured_document({}, "6");
  expect_recovered(document, kNeverMeasured);
  EXPECT_TRUE(document.at("points").is_null());
  EXPECT_EQ(document.at("measured").at("library"), kLibraries + "/libascend_hal.so");
  EXPECT_EQ(document.at("measured").at("simulated"), true);
  EXPECT_EQ(document.at("measured").at("iterations"), 6);
  EXPECT_EQ(document.at("measured").at("left_out"),
            (Names{"256 loads: the clock did not move", "4096 loads: the clock did not move",
                   "256 stores: the clock did not move", "4096 stores: the clock did not move"}));
  EXPECT_LE(document.at("worst_residual_percent").get<double>(), 1);
}

TEST(CalibrateBoard, WithOnlyHugePagesNamesWhatTheyDoNotTellApart) {
  const Json document = measured_document({"--platform", "a2a3-64k"});
  Names open = {"register.allocation_page", "register.host_page", "unregister.allocation_page", "unregister.host_page"};
  open.insert(open.end(), kNeverMeasured.begin(), kNeverMeasured.end());
  expect_recovered(document, open);
  EXPECT_EQ(document.at("host_page_bytes"), 65536);
  EXPECT_THAT(document.at("measured").at("left_out").get<Names>(),
              Contains("mapping of 64 bytes: register_to_host answers NOT_SUPPORT (65534)"));
  for (const Json& row : document.at("rows")) EXPECT_NE(row.at("page_kind"), "ordinary") << row;
}

TEST(CalibrateBoard, WithoutAHostMapPathMeasuresCopies) {
  const Json document = measured_document({"--platform", "a5"});
  Names open;
  for (const std::string call : {"register", "unregister"}) {
    for (const std::string term : {"call", "allocation_page", "host_page"}) open.push_back(call + "." + term);
  }
  open.insert(open.end(), kNeverMeasured.begin(), kNeverMeasured.end());
  expect_recovered(document, open);  // a5 borrows the prices of copies
  EXPECT_EQ(document.at("driver"), "v3");
}

// There a touch of a device address ends the process.
TEST(CalibrateBoard, TouchesViewsWhereverTheyAre) {
  expect_recovered(measured_document({"--platform", "a2a3-nonidentity"}), kNeverMeasured);
}

TEST(CalibrateBoard, SavedPointsFitToTheSameAndTwoMeasurementsAreTheSame) {
  const ScratchFolder folder;
  const std::string points = folder / "mine.csv";
  const Json first = measured_document({"--save-points", points});
  EXPECT_EQ(first.at("measured").at("saved_points"), points);
  const std::string saved = text_of(points);
  const ChildResult again = calibrate_board({"--points", points, "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.output;
  const Json second = Json::parse(again.output);
  for (const char* same : {"terms", "undetermined", "rows", "worst_residual_percent"}) {
    EXPECT_EQ(first.at(same), second.at(same)) << same;
  }
  EXPECT_TRUE(second.at("measured").is_null());
  EXPECT_EQ(second.at("points"), points);
  measured_document({"--save-points", points});
  EXPECT_EQ(text_of(points), saved);
}

TEST(CalibrateBoard, BaseGivesWhatThePointsLeaveOpenAndAPlatformCanUseTheResult) {
  const ScratchFolder folder;
  const std::string fixtures = folder / "fixtures";
  std::filesystem::copy(default_locations().fixtures, fixtures, std::filesystem::copy_options::recursive);
  const Json document = measured_document(
      {"--fixtures", fixtures, "--platform", "a2a3-64k", "--base", "a2a3-cann9", "--output", "my-board"});
  EXPECT_EQ(document.at("base"), "a2a3-cann9");
  const std::map<std::string, double> prices = charged();
  for (const Json& term : document.at("terms")) {
    if (!prices.contains(term.at("term"))) continue;
    const double price = prices.at(term.at("term"));
    EXPECT_NEAR(term.at("ps").get<double>(), price, 0.01 * price) << term;
  }
  EXPECT_EQ(document.at("terms").back().at("ps"), 500'000'000) << "launch";
  const std::string written = text_of(fixtures + "/calibrations/my-board.toml");
  EXPECT_THAT(written,
              HasSubstr("\nwhat = \"svmsim calibrate for platform a2a3-64k\"\nwhere = \"a simulated board\"\n"));
  EXPECT_THAT(written, HasSubstr("launch is 500000000 ps: no point measures it; as in calibration a2a3-cann9."));
  std::ofstream(fixtures + "/platforms/mine.toml")
      << "name = \"mine\"\ndescription = \"d\"\nextends = \"a2a3-64k\"\ncalibration = \"my-board\"\n";
  const ChildResult sweep =
      svmsim_command({"--fixtures", fixtures, "sweep", "--platform", "mine", "--sizes", "4194304", "--json"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  // As measured: 1.456349 + 2 * 0.152557 + 64 * 0.001488 us.
  EXPECT_NEAR(Json::parse(sweep.output).at("rows").at(0).at("register_us").get<double>(), 1.857, 0.019);
}

TEST(CalibrateBoard, CheckSaysHowFarACalibrationIsFromTheBoard) {
  const Json document = measured_document({"--check", "a2a3-cann9"});
  EXPECT_EQ(document.at("calibration"), "a2a3-cann9");
  EXPECT_EQ(document.at("map_cost"), "measured");
  EXPECT_LE(document.at("worst_residual_percent").get<double>(), 0.1);
  EXPECT_FALSE(document.contains("terms"));
}

TEST(CalibrateBoard, TableNamesTheLibraryAndWhatWasLeftOut) {
  const ChildResult result = calibrate_board({"--lib", kLibraries, "--iterations", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("measured on " + kLibraries + "/libascend_hal.so (simulated), 1 iterations: "));
  EXPECT_THAT(result.output, HasSubstr("\nleft out:\n  256 loads: the clock did not move\n"));
  EXPECT_THAT(result.output, HasSubstr("\n  view_load: no point measures it\n"));
}

TEST(CalibrateBoard, WithoutALibraryABoardIsNeeded) {
  const ScratchFolder folder;
  const std::string nothing = folder / "x.toml";
  for (const std::string& lib : {std::string("/nowhere"), folder.path()}) {
    EXPECT_EQ(board_error({"--lib", lib, "--output", nothing}, 3).at("key"), "--lib");
  }
  const Json error = board_error({"--save-points", folder / "x.csv"}, 3, {{"LD_LIBRARY_PATH", folder.path()}});
  EXPECT_THAT(error.at("message").get<std::string>(), HasSubstr("LD_LIBRARY_PATH (" + folder.path() + ")"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(CalibrateBoard, LibraryIsLookedForAsTheLoaderDoes) {
  const ChildResult result = calibrate_board({"--iterations", "1", "--json"}, {{"LD_LIBRARY_PATH", kLibraries}});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output).at("measured").at("library"), "libascend_hal.so");
}

TEST(CalibrateBoard, AclRuntimeThatIsNotInTheFolderIsLookedForToo) {
  const ScratchFolder folder;
  for (const std::string name : {"libascend_hal.so", "libsvmsim_process.so"}) {
    std::filesystem::create_symlink(kLibraries + "/" + name, folder / name);
  }
  const ChildResult result =
      calibrate_board({"--lib", folder.path(), "--iterations", "1"}, {{"LD_LIBRARY_PATH", kLibraries}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const Json error = board_error({"--lib", folder.path()}, 3, {{"LD_LIBRARY_PATH", std::nullopt}});
  EXPECT_THAT(error.at("message").get<std::string>(), HasSubstr("libascendcl.so"));
}

TEST(CalibrateBoard, FailedCallIsNamedAndWritesNothing) {
  const ScratchFolder folder;
  const Json error =
      board_error({"--lib", kLibraries, "--save-points", folder / "x.csv", "--output", folder / "x.toml"}, 1,
                  {{"SVMSIM_FAULTS", "unregister-fails-once"}});
  EXPECT_THAT(error.at("message").get<std::string>(),
              testing::MatchesRegex("the measurement failed: unregister_from_host of 0x[0-9a-f]+ \\(64 bytes\\) failed "
                                    "with IOCRL_FAIL \\(17\\)"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// It has measured, and its driver is not content with how it was left.
TEST(CalibrateBoard, BadEndOfTheProcessIsSaidAndLosesNoPoints) {
  const ScratchFolder folder;
  const BoardFolder board(SVMSIM_TEST_PROGRAMS_DIR "/frees_null_otherwise.so");
  const std::string points = folder / "x.csv";
  const std::vector<std::string> words = {"--lib", board.path(), "--iterations", "1", "--save-points", points};
  const ChildResult table = calibrate_board(words, {{"FAKE_EXIT", "7"}});
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_THAT(table.errors, HasSubstr("svmsim: the process of the measurement ended with exit code 7\n"));
  EXPECT_THAT(table.output, HasSubstr("\nthe process of the measurement ended with exit code 7\n"));
  EXPECT_THAT(table.output, HasSubstr("\nwrote " + points));
  EXPECT_EQ(calibrate_board({"--points", points}).exit_code, 0);
}

TEST(CalibrateBoard, ProcessThatDiesOrHangsIsNamed) {
  const BoardFolder board(SVMSIM_MISBEHAVING_LIBRARY);
  EXPECT_EQ(board_error({"--lib", board.path()}, 1, {{"FAKE_DEED", "crash"}}).at("message"),
            "the process of the measurement died of SIGSEGV");
  EXPECT_EQ(board_error({"--lib", board.path(), "--timeout", "1"}, 1, {{"FAKE_DEED", "hang"}}).at("message"),
            "the process of the measurement did not end within 1 s");
  EXPECT_THAT(board_error({"--lib", kLibraries}, 2, {{"SVMSIM_PLATFORM", "a3"}}).at("message").get<std::string>(),
              HasSubstr("a variable of the environment"));
}

TEST(CalibrateBoard, LostDeviceIsAFailure) {
  const Json error = board_error({"--lib", kLibraries}, 1, {{"SVMSIM_FAULTS", "device-lost"}});
  EXPECT_THAT(error.at("message").get<std::string>(), HasSubstr(" failed with NO_DEVICE (1)"));
}

TEST(CalibrateBoard, BadOptionsAreRefusedBeforeALibraryIsLoaded) {
  const ScratchFolder folder;
  const auto key_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--lib", kLibraries});
    return board_error(std::move(arguments), 2).at("key").get<std::string>();
  };
  for (const char* iterations : {"0", "-1", "x", "100001"})
    EXPECT_EQ(key_of({"--iterations", iterations}), "--iterations");
  for (const char* timeout : {"0", "86401", "1s"}) EXPECT_EQ(key_of({"--timeout", timeout}), "--timeout");
  EXPECT_EQ(key_of({"--platform", "identity"}), "--platform");
  EXPECT_EQ(key_of({"--platform", "none"}), "--platform");
  EXPECT_EQ(key_of({"--base", "none"}), "--base");
  EXPECT_EQ(key_of({"--save-points", folder / "points.toml"}), "--save-points");
  EXPECT_EQ(key_of({"--save-points", "/nowhere/points.csv"}), "--save-points");
  EXPECT_EQ(key_of({"--output", "a b"}), "--output");
  for (const Names& pair : {Names{"--points", "x.csv"}, Names{"--check", "a2a3-cann9", "--base", "a2a3-cann9"}}) {
    key_of(pair);
  }
  for (const Names& pair : {Names{"--iterations", "3"}, Names{"--platform", "a2a3"}, Names{"--save-points", "x.csv"}}) {
    board_error({"--points", "x.csv", pair[0], pair[1]}, 2);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace svmsim
