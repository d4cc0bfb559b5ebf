// SPDX-License-Identifier: Apache-2.0
// `svmsim calibrate` as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

// The published measurement, as it was published.
constexpr const char* kPublic =
    "# Public measurement: a2a3, host page 4096, CANN 9.0.0, 300 iterations, rotating over 4 buffers, microseconds.\n"
    "# register = halHostRegister(DEV_SVM_MAP_HOST); unregister = halHostUnregister; memory from aclrtMalloc "
    "HUGE_FIRST.\n"
    "kind,bytes,page_kind,pages,register_min,register_median,unregister_min,unregister_median\n"
    "map,64,ordinary,1,1.270,1.580,2.790,3.741\n"
    "map,4096,ordinary,1,1.280,1.610,2.600,3.600\n"
    "map,262144,ordinary,64,10.480,11.340,5.980,7.420\n"
    "map,4194304,huge,2,2.350,3.430,27.700,29.371\n"
    "map,268435456,huge,128,86.460,115.901,1598.205,1649.126\n"
    "# aclrtMemcpy device to host, 2000 iterations\n"
    "kind,bytes,min,median\n"
    "d2h,4,9.020,9.740\n"
    "d2h,8,9.051,9.890\n"
    "d2h,64,8.660,9.530\n";

class CalibrateCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Json document(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "calibrate");
    arguments.emplace_back("--json");
    const ChildResult result = svmsim_command(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_EQ(result.errors, "");
    return Json::parse(result.output);
  }
  Json error(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "calibrate");
    arguments.emplace_back("--json");
    const ChildResult result = svmsim_command(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    return Json::parse(result.output).at("error");
  }

  ScratchFolder folder_;
};

TEST_F(CalibrateCommand, PublicPointsAreMetWithinFivePercentAndWhatTheyLeaveOpenIsNamed) {
  const Json fit = document({"--points", file("public.csv", kPublic)});
  ASSERT_EQ(fit.at("rows").size(), 13U);  // five registers, five unregisters, three copies
  double worst = 0;
  for (const Json& row : fit.at("rows")) {
    const double model = row.at("model_us");
    const double median = row.at("median_us");
    const double residual = (model / median - 1) * 100;
    EXPECT_LE(std::abs(residual), 5) << row;
    EXPECT_NEAR(row.at("residual_percent").get<double>(), residual, 0.04) << row;  // the model is rounded to 1 ns
    worst = std::max(worst, std::abs(row.at("residual_percent").get<double>()));
  }
  EXPECT_EQ(fit.at("worst_residual_percent"), worst);
  const std::vector<std::string> open = fit.at("undetermined");
  EXPECT_EQ(open, (std::vector<std::string>{"copy_from_device.mib", "copy_to_device.latency", "copy_to_device.mib",
                                            "set_memory.latency", "set_memory.mib", "allocate", "free", "view_load",
                                            "view_store", "launch"}));
  EXPECT_TRUE(fit.at("output").is_null());
  const ChildResult table = svmsim_command({"calibrate", "--points", folder_ / "public.csv"});
  EXPECT_EQ(table.exit_code, 0);
  for (const std::string& name : open) {
    EXPECT_NE(table.output.find("\n  " + name + ": "), std::string::npos) << table.output;
  }
}

TEST_F(CalibrateCommand, EveryTermSaysWhetherThePointsDetermineIt) {
  const Json fit = document({"--points", file("public.csv", kPublic)});
  const std::vector<std::string> open = fit.at("undetermined");
  EXPECT_EQ(fit.at("terms").size(), 17U);
  for (const Json& term : fit.at("terms")) {
    const bool is_open = std::find(open.begin(), open.end(), term.at("term")) != open.end();
    EXPECT_EQ(term.at("determined"), !is_open) << term;
    EXPECT_EQ(term.at("reason").is_null(), !is_open) << term;
  }
}

TEST_F(CalibrateCommand, LeaveOneOutIsShownWhereTwoSizesAreLeft) {
  const Json fit = document({"--points", file("public.csv", kPublic)});
  for (const Json& row : fit.at("rows")) {
    const bool left_out = row.at("call") == "d2h" || row.at("size") == 64 || row.at("size") == 4096;
    EXPECT_EQ(row.at("left_out_percent").is_number(), left_out) << row;
  }
}

TEST_F(CalibrateCommand, WrittenCalibrationIsOneThatAPlatformCanName) {
  const std::string fixtures = folder_ / "fixtures";
  for (const char* kind : {"calibrations", "platforms"}) {
    std::filesystem::create_directories(std::filesystem::path(fixtures) / kind);
  }
  const Json fit =
      document({"--fixtures", fixtures, "--points", file("public.csv", kPublic), "--output", "my-board_2"});
  const std::string written = fixtures + "/calibrations/my-board_2.toml";
  EXPECT_TRUE(std::filesystem::equivalent(fit.at("output").get<std::string>(), written));
  std::ofstream(fixtures + "/platforms/mine.toml")
      << "name = \"mine\"\ndescription = \"d\"\npersonality = \"v2\"\nhost_page = 4096\ncalibration = \"my-board_2\"\n";
  const ChildResult sweep =
      svmsim_command({"--fixtures", fixtures, "sweep", "--platform", "mine", "--sizes", "262144", "--json"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.errors;
  const Json row = Json::parse(sweep.output).at("rows").at(0);
  EXPECT_NEAR(row.at("register_us").get<double>(), 11.340, 0.05 * 11.340);
  EXPECT_NEAR(row.at("unregister_us").get<double>(), 7.420, 0.05 * 7.420);
  // Its own points are as far from it as the fit said.
  const Json check = document({"--fixtures", fixtures, "--check", "my-board_2", "--points", folder_ / "public.csv"});
  EXPECT_EQ(check.at("worst_residual_percent"), fit.at("worst_residual_percent"));
}

TEST_F(CalibrateCommand, SamePointsWriteTheSameBytes) {
  const std::string points = file("public.csv", kPublic);
  const auto written = [&](const std::string& folder) {
    std::filesystem::create_directory(folder_ / folder);
    const std::string path = folder_ / (folder + "/same.toml");
    EXPECT_EQ(svmsim_command({"calibrate", "--points", points, "--output", path}).exit_code, 0);
    return text_of(path);
  };
  const std::string first = written("a");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, written("b"));
}

TEST_F(CalibrateCommand, CheckSaysHowFarTheCalibrationIs) {
  // The shipped one maps 64 bytes in 1.456349 + 0.152557 + 0.001488 = 1.610394 us and drops them in 3.668019 us.
  const Json check =
      document({"--check", "a2a3-cann9", "--points",
                file("new.csv",
                     "kind,bytes,page_kind,pages,register_median,unregister_median\nmap,64,ordinary,1,3.221,1.834\n")});
  EXPECT_EQ(check.at("calibration"), "a2a3-cann9");
  EXPECT_EQ(check.at("map_cost"), "measured");
  ASSERT_EQ(check.at("rows").size(), 2U);
  EXPECT_EQ(check.at("rows").at(0).at("model_us"), 1.610);
  EXPECT_EQ(check.at("rows").at(0).at("residual_percent"), -50.0);
  EXPECT_EQ(check.at("rows").at(1).at("model_us"), 3.668);
  EXPECT_EQ(check.at("rows").at(1).at("residual_percent"), 100.0);
  EXPECT_EQ(check.at("worst_residual_percent"), 100.0);
  EXPECT_FALSE(check.contains("terms"));
}

TEST_F(CalibrateCommand, CheckOnOtherPagesIsAPrediction) {
  const Json check = document({"--check", "a2a3-cann9", "--points",
                               file("new.csv",
                                    "kind,host_page\nsource,65536\n"
                                    "kind,bytes,page_kind,pages,register_median,unregister_median\n"
                                    "map,2097152,huge,1,1,1\n")});
  EXPECT_EQ(check.at("map_cost"), "predicted");
  EXPECT_EQ(check.at("host_page_bytes"), 65536);
  // 32 host pages: 1.456349 + 0.152557 + 32 * 0.001488 us.
  EXPECT_EQ(check.at("rows").at(0).at("model_us"), 1.657);
}

TEST_F(CalibrateCommand, CalibrationWithoutPricesOfMappingHasNoResidualForIt) {
  const Json check = document({"--check", "a5-unmeasured", "--points", file("public.csv", kPublic)});
  EXPECT_EQ(check.at("map_cost"), "not_measured");
  for (const Json& row : check.at("rows")) {
    EXPECT_EQ(row.at("residual_percent").is_null(), row.at("call") != "d2h") << row;
  }
}

TEST_F(CalibrateCommand, BadPointsNameFileLineColumnAndValue) {
  const std::string path = file("bad.csv", "kind,bytes,median\nd2h,4,9.74us\n");
  const Json wrong = error({"--points", path});
  EXPECT_EQ(wrong.at("file"), path);
  EXPECT_EQ(wrong.at("key"), "median");
  EXPECT_EQ(wrong.at("value"), "'9.74us'");
  EXPECT_EQ(wrong.at("message"), path +
                                     ":2: median: found '9.74us'; allowed: microseconds from 0.001 to 604800000000, "
                                     "at most three decimals");
  EXPECT_EQ(error({"--points", folder_ / "absent.csv"}).at("value"), "no such file");
  EXPECT_EQ(error({"--points", folder_.path()}).at("value"), "a directory");
  EXPECT_EQ(error({"--points", file("empty.csv", "")}).at("value"), "no point");
  EXPECT_EQ(error({"--points", file("long.csv", std::string(10 << 20, '1'))}).at("value"), "a file of 10485760 bytes");
}

TEST_F(CalibrateCommand, PointsAreNotReplacedByTheCalibration) {
  const std::string points = file("points.toml", kPublic);
  EXPECT_EQ(error({"--points", points, "--output", points}).at("allowed"),
            "another file than those that the command reads");
  EXPECT_EQ(document({"--points", points}).at("output"), nullptr);
}

TEST_F(CalibrateCommand, BadOptionsAreRefusedAndNothingIsWritten) {
  const std::string points = file("public.csv", kPublic);
  for (const std::string output : {"", "a b", "../x", "x/y.txt", "a.b.toml", "/nowhere/x.toml"}) {
    EXPECT_EQ(error({"--points", points, "--output", output}).at("key"), "--output") << output;
  }
  EXPECT_EQ(error({"--points", points, "--check", "nothing"}).at("key"), "--check");
  error({"--points", points, "--check", "a2a3-cann9", "--output", folder_ / "x.toml"});
  const Json beyond = error(
      {"--points", file("slow.csv", "kind,accesses,median\nload,1,604800000000\n"), "--output", folder_ / "x.toml"});
  EXPECT_EQ(beyond.at("key"), "--points");
  EXPECT_NE(beyond.at("allowed").get<std::string>().find("view_load"), std::string::npos) << beyond;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.toml"));
}

}  // namespace
}  // namespace svmsim
