// SPDX-License-Identifier: Apache-2.0
// No output of a command replaces a file that the command reads, whatever it is called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/locations.h"
#include "cli/testing/command_line.h"
#include "cli/testing/scratch_folder.h"
#include "sim/output/json_document.h"

namespace svmsim {
namespace {

namespace fs = std::filesystem;

class InputIsNoOutput : public testing::Test {
 protected:
  // A fixture of the project under another name in a folder of its own.
  [[nodiscard]] std::string copy_of(const std::string& fixture, const std::string& name) const {
    fs::copy_file(default_locations().fixtures + "/" + fixture, folder_ / name);
    return folder_ / name;
  }
  // The command names `option`, and leaves `file` and the folder as they were.
  void expect_refused(std::vector<std::string> words, const std::string& option, const std::string& file,
                      const std::string& allowed = "another file than those that the command reads") const {
    const std::string before = text_of(file);
    const auto files = std::distance(fs::directory_iterator(folder_.path()), {});
    words.emplace_back("--json");
    const ChildResult result = svmsim_command(std::move(words));
    EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
    const Json error = Json::parse(result.output).at("error");
    EXPECT_EQ(error.at("key"), option) << error;
    EXPECT_EQ(error.at("allowed"), allowed);
    EXPECT_EQ(text_of(file), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), files);
  }

  const ScratchFolder folder_;
};

TEST_F(InputIsNoOutput, OfARun) {
  const std::string scene = copy_of("scenes/vector_example.toml", "scene.json");
  const std::string arguments = copy_of("scenes/vector_example.toml", "arguments.toml");
  fs::create_symlink(arguments, folder_ / "link.dot");
  for (const std::string output : {"--trace", "--graph"}) {
    expect_refused({"run", scene, output, scene}, output, scene);
    expect_refused({"run", scene, "--platform", copy_of("platforms/a2a3.toml", output + ".json"), output,
                    folder_.path() + "/./" + output + ".json"},
                   output, folder_ / (output + ".json"));
  }
  expect_refused({"run", arguments, "--graph", folder_ / "link.dot"}, "--graph", arguments);
  const std::string module = default_locations().orchestrations + "/vector_example.so";
  fs::create_symlink(module, folder_ / "module.json");
  expect_refused({"run", "vector_example", "--trace", folder_ / "module.json"}, "--trace", module);
}

TEST_F(InputIsNoOutput, OfARunWithDataInAFile) {
  std::string scene = text_of(default_locations().fixtures + "/scenes/vector_example.toml");
  const std::string seeded = "data = \"seeded\"";
  ASSERT_NE(scene.find(seeded), std::string::npos);
  scene.replace(scene.find(seeded), seeded.size(), "data = \"file\"\nfile = \"bytes.json\"");
  std::ofstream(folder_ / "scene.toml") << scene;
  std::ofstream(folder_ / "bytes.json") << std::string(128 * 128 * 4, 'x');
  expect_refused({"run", folder_ / "scene.toml", "--trace", folder_ / "bytes.json"}, "--trace", folder_ / "bytes.json");
}

TEST_F(InputIsNoOutput, OfABuild) {
  std::ofstream(folder_ / "source.cpp") << "int x;\n";
  expect_refused({"build", folder_ / "source.cpp", "--output", folder_ / "source.cpp"}, "--output",
                 folder_ / "source.cpp");
}

TEST_F(InputIsNoOutput, OfARegression) {
  const std::string scene = copy_of("scenes/vector_example.toml", "scene.toml");
  const std::string platform = copy_of("platforms/a2a3.toml", "platform.toml");
  for (const std::string& file : {scene, platform}) {
    expect_refused(
        {"regress", scene, "--platform", platform, "--lib", SVMSIM_DROPIN_DIR, "--update", "--baseline", file},
        "--baseline", file);
  }
}

TEST_F(InputIsNoOutput, OfACalibration) {
  const std::string platform = copy_of("platforms/a2a3.toml", "platform.toml");
  fs::create_symlink(platform, folder_ / "points.csv");
  const std::vector<std::string> measure = {"calibrate", "--lib", SVMSIM_DROPIN_DIR, "--platform", platform};
  const auto with = [&](const char* option, const std::string& file) {
    std::vector<std::string> words = measure;
    words.insert(words.end(), {option, file});
    return words;
  };
  expect_refused(with("--save-points", folder_ / "points.csv"), "--save-points", platform);
  expect_refused(with("--output", platform), "--output", platform);
  const std::string base = copy_of("calibrations/a2a3-cann9.toml", "base.toml");
  std::vector<std::string> words = with("--base", base);
  words.insert(words.end(), {"--output", base});
  expect_refused(words, "--output", base);
}

// A driver's library loads others, whose names the command does not know.
TEST_F(InputIsNoOutput, NorIsALibrary) {
  const std::string library = folder_ / "libc_sec.so";
  fs::copy_file(default_locations().orchestrations + "/vector_example.so", library);
  const std::string allowed = "another file than a program or a library";
  const std::vector<std::string> board = {"--lib", SVMSIM_DROPIN_DIR};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), board.begin(), board.end());
    return words;
  };
  expect_refused(with({"regress", "vector_example", "--update", "--baseline", library}), "--baseline", library,
                 allowed);
  for (const char* name : {"points.csv", "mine.toml"}) fs::create_symlink(library, folder_ / name);
  expect_refused(with({"calibrate", "--save-points", folder_ / "points.csv"}), "--save-points", library, allowed);
  for (const char* command : {"calibrate", "probe", "conformance"}) {
    expect_refused(with({command, "--output", folder_ / "mine.toml"}), "--output", library, allowed);
  }
}

TEST_F(InputIsNoOutput, NorAreTwoOutputsOneFile) {
  const std::string file = folder_ / "mine.toml";
  fs::create_symlink(file, folder_ / "points.csv");
  std::ofstream(file) << "old";
  expect_refused({"calibrate", "--lib", SVMSIM_DROPIN_DIR, "--save-points", folder_ / "points.csv", "--output", file},
                 "--output", file, "another file than --save-points writes");
}

}  // namespace
}  // namespace svmsim
